import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { examineText } from '../decision/examine.ts'
import { spelledWords } from './detectors/context-words.ts'
import { digitSeries } from './detectors/digits.ts'
import { lowered } from './detectors/scanner.ts'
import { DETECTORS, knownCommands } from './detectors/table.ts'
import { loadRules, type Rule } from './rules.ts'

const json = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const read = (name: string) => json(`../../../rules/${name}`)
const rules = loadRules({
  gates: read('gates.json'),
  confusables: read('confusables.json'),
  scorer: read('threat-scorer.json'),
})

const detected = ({ detector, context, keys, identifier }: Rule, text: string) => {
  const lower = () => lowered(text)
  const commands = () => knownCommands(lower())
  const found = DETECTORS[detector as string]?.({
    text,
    lower,
    series: () => digitSeries(text),
    spelled: () => spelledWords(text),
    identifiers: () => rules.identifiers.find(text, '').get(identifier as number) ?? [],
    commands,
    context,
    keys,
    label: '',
    allowedHosts: [],
    origin: 'user',
    scorer: rules.scorer,
  })
  return found ?? []
}

const detecting = rules.rules.filter(({ detector }) => detector !== null && detector in DETECTORS)
const stops: string[] = json('../../../../../vectors/engineer.json')
  .cases.filter(({ expect }: { expect: string }) => expect !== 'pass')
  .map(({ text }: { text: string }) => text)

/** What may be left open at the end of a text: quotations, fences, brackets, escapes and separators. */
const OPEN = [
  '',
  ...["'", '"', '`', '```', ' "', " '", ' `', '\n```', '\\', ' \\', ' (', ',', ', "', ' >', ' |', ' -', '='],
]

test('no detector finds anything beyond the end of a text, whatever is left open there', () => {
  const examples = [...new Set([...detecting.flatMap(({ match }) => match), ...stops])]
  assert.ok(examples.length > 200)
  for (const example of examples)
    for (const open of OPEN) {
      const text = example + open
      for (const rule of detecting)
        for (const { from, to } of detected(rule, text))
          assert.ok(from >= 0 && from < to && to <= text.length, `${rule.id} ${from}..${to}: ${JSON.stringify(text)}`)
    }
})

test('no detector finds anything beyond the end of a text that is cut off anywhere', () => {
  for (const rule of detecting)
    for (const example of rule.match)
      for (let size = 1; size < Math.min(example.length, 160); size++)
        for (const open of ['', '"', " '"]) {
          const text = example.slice(0, size) + open
          for (const { from, to } of detected(rule, text))
            assert.ok(from >= 0 && from < to && to <= text.length, `${rule.id} ${from}..${to}: ${JSON.stringify(text)}`)
        }
})

test('a stopped command before an open quotation or fence is found at its own place', () => {
  for (const text of [
    '```bash\nterraform destroy -auto-approve\n```',
    'rm -rf / "',
    "git push -f origin main '",
    'echo x >/dev/sd',
  ]) {
    const asked = { text, origin: 'user', direction: 'input', effect: 'none', declared: 'PUBLIC' } as const
    const { findings } = examineText({ ...asked, rules, deadlineMs: 1e9, now: () => 0 })
    assert.ok(findings.length > 0, text)
    for (const { start, end } of findings) assert.ok(start < end && end <= text.length, `${start}..${end}: ${text}`)
  }
})

test('768 commands are read in the views of a text, and where there are more a person looks', () => {
  const examined = (count: number) => {
    const text = Array.from({ length: count }, (_, at) => `wget a.b/${at}`).join('\n')
    const asked = { text, origin: 'user', direction: 'input', effect: 'none', declared: 'PUBLIC' } as const
    const { evaluations, stages } = examineText({ ...asked, rules, deadlineMs: 1e9, now: () => 0 })
    const { planned, completed } = evaluations['threat-signature-scan']
    return [completed < planned, stages.find(({ id }) => id === 'threat-signature-scan')!.verdict]
  }
  assert.deepEqual(examined(383), [false, 'allow'])
  assert.deepEqual(examined(384), [true, 'review'])
})
