import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { hash, stepBench } from '#testing/stepping/bench.ts'
import { loadRules } from '../../../domain/gates/rules.ts'
import { findActions } from './actions.ts'
import { statementsIn } from './arithmetic.ts'
import { auditor } from './auditor.ts'
import { operator } from './operator.ts'
import { planner } from './planner.ts'
import type { Reading } from './reading.ts'
import { referencesIn } from './references.ts'
import { type Token, tokenize } from './tokens.ts'
import { verifier } from './verifier.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../rules/${name}`, import.meta.url), 'utf8'))
const bench = stepBench(
  loadRules({ gates: read('gates.json'), confusables: read('confusables.json'), scorer: read('threat-scorer.json') }),
)
const { lexicon } = bench.words

let work = 0

/** Stands in for a string and counts what is read of it. */
class CountedText {
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get length(): number {
    return this.text.length
  }

  charCodeAt(at: number): number {
    work++
    return this.text.charCodeAt(at)
  }

  codePointAt(at: number): number | undefined {
    work++
    return this.text.codePointAt(at)
  }

  charAt(at: number): string {
    work++
    return this.text.charAt(at)
  }

  slice(from: number, to = this.text.length): string {
    const part = this.text.slice(from, to)
    work += part.length
    return part
  }

  startsWith(mark: string, at: number): boolean {
    work += mark.length
    return this.text.startsWith(mark, at)
  }

  indexOf(mark: string, from = 0): number {
    const at = this.text.indexOf(mark, from)
    work += (at < 0 ? this.text.length : at + mark.length) - Math.min(from, this.text.length)
    return at
  }
}

/** Counts every look at a token. */
const counted = (tokens: Token[]): Token[] =>
  new Proxy(tokens, {
    get(target, key, receiver) {
      if (typeof key === 'string' && key >= '0' && key <= '99999999') work++
      return Reflect.get(target, key, receiver)
    },
  })

const HOSTILE = [
  'a ',
  'delete ',
  'delete, ',
  'not ',
  'do not delete ',
  'not, ',
  'or ',
  'and delete ',
  'delete or ',
  'all ',
  'delete all. ',
  'be deleted ',
  'is deleted ',
  'want deleted ',
  'explain ',
  'explain and delete ',
  '"delete" ',
  '"delete ',
  "'",
  '`',
  'one: ',
  'two a: b, ',
  'a, ',
  '1 + ',
  '1 = ',
  '1 + 1 = 2 ',
  '1,000',
  '1-',
  '--1',
  '2024-01-01 ',
  'may 1 ',
  'sha256 ',
  'sha256:a ',
  'sha-256 ',
  'step 1 ',
  'session "',
  'session a-',
  'http://',
  'http:// ',
  'a@',
  'a@a ',
  'root ',
  'disable ',
  'disable logs ',
  'send password. ',
  'rm -rf / ',
  'drop table a; ',
  '* ',
  '\n',
  '?',
  '.',
  'use tool ',
  'get rid of ',
  'why dont you ',
  '\u{1f600}',
  'e\u0301\u0301',
]

const SIZE = 2048
const times = (seed: string, size: number): string => seed.repeat(Math.ceil(size / seed.length)).slice(0, size)

/** Twice the text, at most about twice the work: quadratic work would be four times. */
function isLinear(name: string, run: (text: string) => () => unknown): void {
  for (const seed of HOSTILE) {
    const cost = (size: number): number => {
      const prepared = run(times(seed, size))
      work = 0
      prepared()
      return work
    }
    const [once, twice] = [cost(SIZE), cost(2 * SIZE)]
    assert.ok(twice <= 2.5 * once + 4096, `${name} on ${JSON.stringify(seed)}: ${once} then ${twice}`)
    assert.ok(twice <= 600 * 2 * SIZE, `${name} on ${JSON.stringify(seed)}: ${twice} looks`)
  }
}

const countedReading = (text: string): Reading => {
  const reading = bench.prepare(text).reading!
  const views = reading.views.map((view) => ({ ...view, tokens: counted(view.tokens) }))
  return { ...reading, views, plain: { ...reading.plain, tokens: counted(reading.plain.tokens) } }
}

test('words are found in linear work', () => {
  isLinear('tokens', (text) => {
    const wrapped = new CountedText(text) as unknown as string
    return () => tokenize(wrapped, lexicon.spell)
  })
})

test('actions are found in linear work', () => {
  isLinear('actions', (text) => {
    const found = tokenize(text, lexicon.spell)
    const tokens = counted(found.tokens)
    return () => findActions({ ...found, tokens }, lexicon)
  })
})

test('statements are found in linear work', () => {
  isLinear('statements', (text) => {
    const wrapped = new CountedText(text) as unknown as string
    return () => statementsIn(wrapped)
  })
})

test('every expert reads its request in linear work', () => {
  const experts: [string, (reading: Reading) => unknown][] = [
    ['planner', planner],
    ['verifier', (reading) => verifier(reading, [], hash)],
    ['references', ({ plain }) => referencesIn(plain)],
    [
      'operator',
      (reading) =>
        operator({
          reading,
          lexicon,
          active_tool_count: 0,
          context_tokens: 0,
          memory_pressure: null,
          mode_hint: 'auto',
          remaining_quota: null,
        }),
    ],
  ]
  for (const [name, run] of experts)
    isLinear(name, (text) => {
      const reading = countedReading(text)
      return () => run(reading)
    })
})

test('the auditor reads its request in linear work', () => {
  isLinear('auditor', (text) => {
    const [reading, examination] = [countedReading(text), bench.examine(text)]
    return () => auditor({ reading, examination, policy: { verdict: 'allow', reasons: [] }, lexicon })
  })
})

test('no expression over a caller’s text looks around, refers back, or repeats without bound', () => {
  const files = ['./', '../rules/'].flatMap((name) => {
    const folder = new URL(name, import.meta.url)
    const sources = readdirSync(folder).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    return sources.map((file) => new URL(file, folder))
  })
  let seen = 0
  for (const file of files) {
    const source = readFileSync(file, 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
    for (const [, pattern] of source.matchAll(
      /(?<=[(=:,[?!|&]\s?)\/((?:[^/\\\n[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/[a-z]*(?=[.,;)\s\]])/g,
    )) {
      seen++
      const bare = pattern!.replace(/\[(?:[^\]\\]|\\.)*\]/g, 'C')
      assert.doesNotMatch(bare, /\(\?[=!<]|\\[1-9k]|[*+]|\{\d+,\}/, `${file}: ${pattern}`)
    }
  }
  assert.ok(seen >= 8, 'the reader of the sources found too few expressions to be right')
})
