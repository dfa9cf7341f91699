import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { examineText } from '../../../domain/decision/examine.ts'
import { loadRules } from '../../../domain/gates/rules.ts'
import { ReleaseWindow } from './release-window.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../rules/${name}`, import.meta.url), 'utf8'))
const [gates, confusables, scorer] = ['gates.json', 'confusables.json', 'threat-scorer.json'].map(read)
const rules = loadRules({ gates, confusables, scorer })

const blocksIn = (text: string): string[] =>
  examineText({
    text,
    direction: 'output',
    origin: 'model',
    effect: 'none',
    declared: 'PUBLIC',
    rules,
    deadlineMs: 10_000,
    now: () => 0,
  })
    .findings.filter(({ severity }) => severity === 'block')
    .map(({ rule }) => rule)

function sentOf(chunks: readonly string[]): string {
  const window = new ReleaseWindow()
  let sent = ''
  for (const chunk of chunks) {
    window.push(chunk)
    const scan = window.next()
    if (scan === null) continue
    if (blocksIn(scan.text).length > 0) return sent
    sent += window.release(scan.until)
  }
  return blocksIn(chunks.join('')).length === 0 ? sent + window.releaseAll() : sent
}

const BASE64 = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/']
const letters = (alphabet: readonly string[], min: number, max = min) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: min, maxLength: max }).map((found) => found.join(''))
const ALNUM = BASE64.slice(0, 62)

const keyBlock = fc
  .record({
    headers: fc.integer({ min: 0, max: 60 }),
    body: fc.array(letters(BASE64, 64), { minLength: 2, maxLength: 12 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ headers, body, lineEnd }) =>
    [
      '-----BEGIN RSA PRIVATE KEY-----',
      ...Array.from({ length: headers }, (_, at) => `X-Comment: line ${at} is some harmless filler text`),
      ...body,
      '-----END RSA PRIVATE KEY-----',
    ].join(lineEnd),
  )
const digits = (min: number) => letters(BASE64.slice(52, 62), min)
const ssn = fc
  .record({ area: fc.integer({ min: 100, max: 665 }), group: fc.integer({ min: 10, max: 99 }), serial: digits(3) })
  .map(({ area, group, serial }) => `${area}-${group}-9${serial}`)
const CARDS = ['4539 5787 6362 1486', '5500-0055-5555-5559', '374912345678902', '6011203404445557']
const encodedPart = (value: string) => Buffer.from(value).toString('base64url')
const jwt = fc
  .record({ subject: letters(ALNUM, 8, 400), signature: letters(ALNUM, 43) })
  .map(
    ({ subject, signature }) =>
      `${encodedPart('{"alg":"HS256","typ":"JWT"}')}.${encodedPart(`{"sub":"${subject}"}`)}.${signature}`,
  )
const secrets = fc.oneof(
  ssn,
  fc.constantFrom(...CARDS),
  keyBlock,
  jwt,
  letters([...ALNUM.slice(0, 26), '2', '3', '4', '5', '6', '7'], 16).map((id) => `AKIA${id}`),
  fc.constant('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'),
)

const wrapped = (text: string, width: number, lineEnd: string): string =>
  text.match(new RegExp(`.{1,${width}}`, 'g'))!.join(lineEnd)
const encodings = fc.oneof(
  fc.record({ width: fc.integer({ min: 17, max: 120 }), lineEnd: fc.constantFrom('\n', '\r\n') }).map(
    ({ width, lineEnd }) =>
      (text: string) =>
        wrapped(Buffer.from(text).toString('base64'), width, lineEnd),
  ),
  fc.constant((text: string) => Buffer.from(text).toString('hex')),
  fc.constant((text: string) => Buffer.from(text).toString('base64url')),
  fc.constant((text: string) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  ),
)
const PROSE = 'The quick brown fox jumps over the lazy dog and rests under the old tree by the river bank. '
const around = fc.record({
  before: fc.nat(2600),
  after: fc.nat(700),
  carried: fc.nat(900),
  step: fc.constantFrom(9, 64, 333),
})
const cut = (text: string, places: readonly number[], step: number): string[] => {
  const every = Array.from({ length: Math.ceil(text.length / step) }, (_, at) => at * step)
  const marks = [...new Set([0, ...every, ...places.map((place) => place % text.length), text.length])]
  marks.sort((one, other) => one - other)
  return marks.slice(1).map((mark, at) => text.slice(marks[at], mark))
}

test('whatever the secret, its encoding, its place and the chunks: nothing of it is in what left', () => {
  let denied = 0
  fc.assert(
    fc.property(
      secrets,
      fc.array(encodings, { maxLength: 2 }),
      around,
      fc.array(fc.nat(9000), { maxLength: 20 }),
      (secret, path, { before, after, carried, step }, places) => {
        const lead = `${PROSE.repeat(30).slice(0, before)} `
        const plain = path.length === 0 ? secret : `${PROSE.repeat(10).slice(0, carried)} it is ${secret} indeed`
        const text = `${lead}${path.reduce((inner, encode) => encode(inner), plain)} ${PROSE.repeat(8).slice(0, after)}`
        const full = blocksIn(text)
        if (full.length === 0) return
        denied += 1
        const sent = sentOf(cut(text, places, step))
        assert.deepEqual(
          blocksIn(sent).filter((rule) => full.includes(rule)),
          [],
        )
        assert.ok(lead.startsWith(sent), `${sent.length - lead.length} characters of it left`)
      },
    ),
    { seed: 21, numRuns: 420 },
  )
  assert.ok(denied >= 300, `only ${denied} of the texts held a secret`)
})
