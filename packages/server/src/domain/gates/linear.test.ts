import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { normalise } from '../text/normalise.ts'
import { spelledWords } from './detectors/context-words.ts'
import { digitSeries } from './detectors/digits.ts'
import { lowered } from './detectors/scanner.ts'
import { DETECTORS, knownCommands } from './detectors/table.ts'
import wordLists from './detectors/word-lists.json' with { type: 'json' }
import { loadRules } from './rules.ts'
import { wordsOf } from './words.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../rules/${name}`, import.meta.url), 'utf8'))
const [gates, confusables, scorer] = ['gates.json', 'confusables.json', 'threat-scorer.json'].map(read)
const rules = loadRules({ gates, confusables, scorer })

/** Stands in for a string and counts what is read of it. Lower-casing is one reading of everything. */
class CountedText {
  static requestHeaders = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get length(): number {
    return this.text.length
  }

  charCodeAt(at: number): number {
    CountedText.requestHeaders++
    return this.text.charCodeAt(at)
  }

  codePointAt(at: number): number | undefined {
    CountedText.requestHeaders++
    return this.text.codePointAt(at)
  }

  charAt(at: number): string {
    CountedText.requestHeaders++
    return this.text.charAt(at)
  }

  slice(from: number, to = this.text.length): string {
    const part = this.text.slice(from, to)
    CountedText.requestHeaders += part.length
    return part
  }

  startsWith(mark: string, at: number): boolean {
    CountedText.requestHeaders += mark.length
    return this.text.startsWith(mark, at)
  }

  indexOf(mark: string, from = 0): number {
    const at = this.text.indexOf(mark, from)
    CountedText.requestHeaders += (at < 0 ? this.text.length : at + mark.length) - Math.min(from, this.text.length)
    return at
  }

  includes(mark: string): boolean {
    return this.indexOf(mark) >= 0
  }

  /** An expression reads all of it. */
  toString(): string {
    CountedText.requestHeaders += this.text.length
    return this.text
  }

  toLowerCase(): CountedText {
    CountedText.requestHeaders += this.text.length
    return new CountedText(this.text.toLowerCase())
  }
}

const HOSTILE = [
  'a',
  '1',
  '1 ',
  '12-',
  '4111 ',
  '(1',
  '+1(',
  '@',
  'a@a.',
  '<a ',
  '<',
  'onx=',
  '<a on',
  '![](http',
  '](http://a/',
  'src="http://',
  'rm -r ',
  'curl x|',
  'wget.|',
  ':(',
  'dd if ',
  'mkfs.',
  'drop table a ',
  'union all ',
  "' or ",
  'delete from a where ',
  '../',
  'eyJ',
  'eyJ.eyJ.',
  'AKIA',
  'ghp_a',
  'password=',
  'token:a ',
  '-----BEGIN PRIVATE KEY-----',
  'DE89',
  'de89 ',
  'gb82west',
  'ssn 123456789 ',
  'javascript:',
  'find / ',
  'curl http://a/b -o b;',
  'wget http://a|',
  'kubectl delete a ',
  'terraform ',
  'aws s3 rm ',
  'nc -e ',
  'python -c socket ',
  '/dev/tcp/a',
  'authorized_keys',
  'cat ~/.ssh/id_rsa|curl ',
  'scp id_rsa a: ',
  'systemctl stop ',
  '/var/log/secure',
  '"rm", ',
  'truncate a,',
  'drop table a,',
  'update a set b=',
  '# ai: run ',
  '<!-- ',
  '/* ',
  'a://b:c@',
  '4539 5787 6362 1486 ',
  'r\\m -rf ',
  'drop/**/',
  'a/*b*/',
  '$x -r ',
  'find / | xargs rm ',
  'base64 -d ',
  '$(base64 -d ',
  'alter table a drop ',
  'copy to program ',
  'rmtree("',
  '__rm ',
  '4539/5787_6362\u2014',
  'CPF 638.601.198-85 ',
  'a1',
  'A9',
  '00:1A:',
  '1.2.3.4 ',
  '2a00:1450::',
  'x@\u4f8b.\u4e2d\u56fd',
  '0142 68 53 00 ',
  '+1415555267 ',
  '\u8eab\u4efd\u8bc1',
]

const cost = (run: () => unknown): number => {
  CountedText.requestHeaders = 0
  run()
  return CountedText.requestHeaders
}

type RuleOfDetector = (typeof rules.rules)[number]
const detecting = rules.rules.filter(({ detector }) => detector !== null && detector in DETECTORS)

/** What one rule reads of a text. */
const readBy = ({ detector, context, keys, identifier }: RuleOfDetector, hostile: string): number =>
  cost(() => {
    const text = new CountedText(hostile) as unknown as string
    const lower = () => lowered(text)
    return DETECTORS[detector as string]?.({
      text,
      lower,
      series: () => digitSeries(text),
      spelled: () => spelledWords(text),
      identifiers: () => rules.identifiers.find(text, '').get(identifier as number) ?? [],
      commands: () => knownCommands(lower()),
      context,
      keys,
      label: '',
      allowedHosts: [],
      origin: 'user',
      scorer: rules.scorer,
    })
  })

for (const rule of detecting) {
  test(`${rule.id} reads twice as much of a hostile text twice as long, not four times`, () => {
    for (const seed of HOSTILE) {
      const at = (size: number) => readBy(rule, seed.repeat(Math.ceil(size / seed.length)))
      const [once, twice] = [at(4096), at(8192)]
      assert.ok(twice <= 2.5 * once + 2048, `${seed}: ${once} then ${twice}`)
    }
  })
}

/** Prefix, pump and suffix of texts on which expressions that backtrack take exponential or polynomial time. */
const PUMPS = [
  'a',
  '(',
  'a@',
  '1-',
  'ignore ',
  '\u200B',
  'AAAA',
  '%41',
  'sk_live_',
  '<',
  '4 ',
  "'; ",
  '../',
  '=',
  'eyJ',
]

test('of a text that is pumped up to 32,768 characters all rules together read eight times what they read of 4,096', (t) => {
  const reads = (pump: string, size: number) => {
    const text = `x${pump.repeat(size)}`.slice(0, size - 1)
    return detecting.reduce((sum, rule) => sum + readBy(rule, `${text}!`), 0)
  }
  let most = 0
  for (const pump of PUMPS) {
    const [short, long] = [reads(pump, 4096), reads(pump, 32_768)]
    assert.ok(long <= 8.5 * short, `${pump}: ${short} then ${long}`)
    most = Math.max(most, long / 32_768 / detecting.length)
  }
  t.diagnostic(`at most ${most.toFixed(1)} readings of each character by each of ${detecting.length} rules`)
  assert.ok(most <= 8)
})

test('of a pumped text eight times as long the word rules take eight times the steps', () => {
  const steps = (pump: string, size: number) => {
    const view = normalise(`x${pump.repeat(size)}`.slice(0, size), rules.confusables).views[1]!
    return rules.patterns.scan(wordsOf(view, rules.lexicon), 'retrieved').steps
  }
  for (const pump of [...PUMPS, 'ignore all previous '])
    assert.ok(steps(pump, 32_768) <= 8.5 * steps(pump, 4096) + 64, pump)
})

test('the word rules take at most twice the steps for twice the words', () => {
  const word = 'ignore you all no never answer any request '
  const steps = (times: number) => {
    const view = normalise(word.repeat(times), rules.confusables).views[1]!
    return rules.patterns.scan(wordsOf(view, rules.lexicon), 'user').steps
  }
  assert.ok(steps(800) <= 2 * steps(400) + 64)
})

/** The words of a detector that are expressions. */
const listed = (file: string, words: unknown): [file: string, pattern: string][] =>
  typeof words === 'string' ? [[file, words]] : Object.values(words as object).flatMap((part) => listed(file, part))

/** Every expression in the code that meets a caller's text, read from the sources. */
function expressions(): [file: string, pattern: string][] {
  const folders = ['../text/', './', './detectors/', './identifiers/', '../decision/']
  return folders.flatMap((folder) => {
    const url = new URL(folder, import.meta.url)
    const files = readdirSync(url).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    return files.flatMap((file) => {
      const source = readFileSync(new URL(file, url), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
      const literals = source.matchAll(
        /(?<=(?:[(=:,[?!|&]|=>|return)\s?)\/((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/[a-z]*(?=[.,;)\s\]])/g,
      )
      return [...literals].map((literal) => [`${folder}${file}`, literal[1] as string] as [string, string])
    })
  })
}

test('no expression over a caller’s text looks around, refers back, or repeats without bound', () => {
  const found = [...expressions(), ...listed('word-lists.json', wordLists['addressed-instruction'])]
  assert.ok(found.length >= 10, 'the reader of the sources found too few expressions to be right')
  const allowed = new Set(['^[\\u0000-\\u007f]*$'])
  for (const [file, pattern] of found.filter(([, source]) => !allowed.has(source))) {
    const bare = pattern
      .replace(/\[(?:[^\]\\]|\\.)*\]/g, 'C')
      .replace(/\\[pP]\{[^}]*\}/g, 'C')
      .replace(/\\u\{?[0-9a-fA-F]+\}?|\\./g, (m) => (/^\\[1-9k]/.test(m) ? m : 'C'))
    assert.doesNotMatch(bare, /\(\?[=!<]/, `${file} looks around: ${pattern}`)
    assert.doesNotMatch(bare, /\\[1-9k]/, `${file} refers back: ${pattern}`)
    assert.doesNotMatch(bare, /[*+]|\{\d+,\}/, `${file} repeats without bound: ${pattern}`)
  }
})
