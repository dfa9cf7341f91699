import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { examineText } from '../../../domain/decision/examine.ts'
import { meet } from '../../../domain/decision/verdict.ts'
import { loadRules } from '../../../domain/gates/rules.ts'
import { HOLDBACK, MAX_HOLDBACK, ReleaseWindow, WINDOW } from './release-window.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../rules/${name}`, import.meta.url), 'utf8'))
const [gates, confusables, scorer] = ['gates.json', 'confusables.json', 'threat-scorer.json'].map(read)
const rules = loadRules({ gates, confusables, scorer })
const verdictOf = (text: string) =>
  meet(
    examineText({
      text,
      direction: 'output',
      origin: 'model',
      effect: 'none',
      declared: 'PUBLIC',
      rules,
      deadlineMs: 1000,
      now: () => 0,
    }).stages.map(({ verdict }) => verdict),
  )

/** What a client of this stream would have got, with every chunk examined as it comes and the whole at the end. */
function sentOf(chunks: readonly string[]): string {
  const window = new ReleaseWindow()
  let sent = ''
  for (const chunk of chunks) {
    window.push(chunk)
    const scan = window.next()
    if (scan === null) continue
    if (verdictOf(scan.text) !== 'allow') return sent
    sent += window.release(scan.until)
  }
  return verdictOf(chunks.join('')) === 'allow' ? sent + window.releaseAll() : sent
}

const LONG_PART = 'Zm9vYmFyIGJhciBiYXogcXV4IHF1dXggY29yZ2UgZ3JhdWx0'.repeat(12)
const SECRETS = {
  'a card': '4539 5787 6362 1486',
  'a social security number': 'SSN 123-45-6789',
  'an access key': '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',
  'a private key': `-----BEGIN PRIVATE KEY-----\n${`${'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgx'.repeat(1)}\n`.repeat(6)}-----END PRIVATE KEY-----`,
  'a token longer than what is held': `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI${LONG_PART}.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c`,
  'an encoded card': Buffer.from(`${'the card of the customer is '.repeat(12)}4539 5787 6362 1486`).toString('base64'),
  'a card with invisible characters': [...'4539 5787 6362 1486'].join('\u200B'),
}
const PROSE = 'The quick brown fox jumps over the lazy dog and rests under the old tree by the river bank. '
const cut = (text: string, places: number[]): string[] => {
  const marks = [0, ...new Set(places.map((place) => place % text.length)), text.length].sort((a, b) => a - b)
  return marks.slice(1).map((mark, at) => text.slice(marks[at], mark))
}

for (const [what, secret] of Object.entries(SECRETS))
  test(`6c ${what} split over any chunks never leaves in part`, () => {
    assert.notEqual(verdictOf(secret), 'allow')
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 0, max: 600 }),
        fc.array(fc.nat(8000), { maxLength: 60 }),
        (before, after, places) => {
          const lead = `${PROSE.repeat(40).slice(0, before)} `
          const text = `${lead}${secret} ${PROSE.repeat(8).slice(0, after)}`
          const sent = sentOf(cut(text, places))
          assert.ok(lead.startsWith(sent), `sent ${sent.length} of ${lead.length} characters before the secret`)
        },
      ),
      { seed: 11, numRuns: 40 },
    )
  })

test('6c a card split over three chunks never leaves in part, wherever it is cut', () => {
  const lead = `${PROSE.repeat(4)}Your card is `
  const text = `${lead}4539 5787 6362 1486, valid thru next year. ${PROSE.repeat(6)}`
  const end = lead.length + 19
  for (let first = lead.length; first < end; first += 1)
    for (let second = first + 1; second <= end; second += 3)
      assert.ok(lead.startsWith(sentOf([text.slice(0, first), text.slice(first, second), text.slice(second)])))
})

test('clean text leaves whole and in order, whatever the chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9000), { maxLength: 80 }), (places) => {
      const text = `${PROSE.repeat(50)}\u{1F600}\u00E9 \u4F60\u597D `.repeat(2)
      assert.equal(sentOf(cut(text, places)), text)
    }),
    { seed: 12, numRuns: 30 },
  )
})

test('what has been examined is released up to 256 code points behind the end, and a window is 2,048 long', () => {
  const window = new ReleaseWindow()
  window.push('\u{1F600} '.repeat(4000))
  const scan = window.next()!
  assert.equal([...scan.text].length, 8000, 'nothing was released yet: all that could leave is examined')
  assert.equal([...scan.text.slice(window.release(scan.until).length)].length, HOLDBACK)
  window.push('a b '.repeat(100))
  assert.equal([...window.next()!.text].length, WINDOW)
})

test('script without spaces is not held to the end', () => {
  const window = new ReleaseWindow()
  window.push('\u4F60\u597D'.repeat(1000))
  assert.ok(window.release(window.next()!.until).length > 1000)
})

test('an unbroken run leaves only when it has ended', () => {
  const window = new ReleaseWindow()
  for (let at = 0; at < 400; at += 1) {
    window.push('a'.repeat(100))
    assert.equal(window.next(), null)
  }
  window.push(` ${PROSE.repeat(30)}`)
  const scan = window.next()
  assert.equal(scan?.text.length, 400 * 100 + 1 + PROSE.length * 30)
  assert.ok(window.release(scan.until).startsWith('a'.repeat(40_000)))
})

test('a run longer than what is held waits for the decision on the whole, also once it has ended', () => {
  const window = new ReleaseWindow()
  for (let at = 0; at <= MAX_HOLDBACK / 100; at += 1) window.push('a'.repeat(100))
  for (let at = 0; at < 100; at += 1) {
    window.push(PROSE)
    assert.equal(window.next(), null)
  }
  assert.equal(window.releaseAll().length, 100 * (Math.floor(MAX_HOLDBACK / 100) + 1) + 100 * PROSE.length)
})

test('what is still open does not leave: a key behind its header lines, a wrapped run, a series of digits, escapes', () => {
  const after = PROSE.repeat(8)
  const lead = 'Here it is: '
  const leaves = (text: string) => {
    const window = new ReleaseWindow()
    window.push(`${PROSE}${lead}${text}`)
    const scan = window.next()
    return scan === null ? '' : window.release(scan.until).slice(PROSE.length)
  }
  const marker = '-----BEGIN RSA PRIVATE KEY-----\n'
  const headers = 'X-Comment: some filler that says nothing\n'.repeat(100)
  const lines = 'QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\r\n'.repeat(40)
  for (const text of [
    marker + headers,
    `\uff0d----BEGIN PRI\u200bVATE KEY-----\n${headers}`,
    lines,
    `${'41 '.repeat(400)}1`,
    'a%20b c&#32;d '.repeat(100),
  ])
    assert.ok(lead.startsWith(leaves(text)), leaves(text).slice(0, 80))
  assert.equal(leaves(`-----BEGIN CERTIFICATE-----\n${after}`).slice(0, 30), 'Here it is: -----BEGIN CERTIFI')
  assert.ok(leaves(`${marker}-----END RSA PRIVATE KEY-----\n${after}`).includes('-----END'))
  assert.ok(leaves(`${marker}${headers.repeat(5)}${after}`).includes('X-Comment'), 'no detector reads that far')
})

test('a stream that goes on keeps no more than the window and leaves complete', () => {
  const window = new ReleaseWindow()
  let sent = 0
  for (let at = 0; at < 40_000; at += 1) {
    window.push(PROSE)
    const scan = window.next()
    if (scan !== null) sent += window.release(scan.until).length
    assert.ok((scan?.text.length ?? 0) <= WINDOW + PROSE.length)
  }
  assert.equal(sent + window.releaseAll().length, 40_000 * PROSE.length)
})
