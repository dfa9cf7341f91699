// The page stays alive because no slice of work is longer than a bound in characters, whatever the clock says; here it
// stands still. That the page takes turns between slices is shown in a browser.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, mock, test } from 'node:test'

mock.method(performance, 'now', () => 0)
// A page lives as long as its channel; a test must not.
const opened: MessageChannel[] = []
class ClosedAfterwards extends MessageChannel {
  constructor() {
    super()
    opened.push(this)
  }
}
globalThis.MessageChannel = ClosedAfterwards
after(() => opened.forEach(({ port1 }) => void port1.close()))
const { MAX_DOCUMENT, MAX_VALUES, verifyEvidence } = await import('./run.ts')
const { SLICE_CHARS } = await import('./run.ts')

const ledger = readFileSync(new URL('../../../../vectors/ledger.jsonl', import.meta.url), 'utf8')
const [header] = ledger.split('\n') as [string]
const TRUST = { keys: [], logKeys: [], checkedAt: '2026-01-01T00:00:00.000Z' }

/** Verifies and tells how much was worked on in each slice. */
async function verified(text: string) {
  const slices: number[] = []
  let before = 0
  const progress = {
    recognised: () => undefined,
    done: (part: number) => {
      slices.push(Math.round((part - before) * text.length))
      before = part
    },
    signal: new AbortController().signal,
  }
  const content = new Blob([text])
  const report = await verifyEvidence({ name: 'evidence', content }, TRUST as never, progress)
  return { report, slices, reason: report.checks[0]!.reason }
}

test('a long ledger is worked on in slices of bounded length', async () => {
  const longest = Math.max(...ledger.split('\n').map((line) => line.length))
  const receipts = ledger.slice(header.length + 1)
  const text = ledger + receipts.repeat(Math.ceil((6 * SLICE_CHARS) / receipts.length))
  const { slices, report } = await verified(text)
  assert.ok(slices.length > 4, `${slices.length} slices`)
  assert.ok(Math.max(...slices) <= SLICE_CHARS + longest + 1, `a slice of ${Math.max(...slices)} characters`)
  assert.equal(report.verdict, 'FAIL')
})

test('millions of empty lines are worked on in slices of bounded length', async () => {
  const { slices } = await verified(`${header}\n${'\n'.repeat(2 * SLICE_CHARS)}`)
  assert.equal(slices.length, 2)
  assert.ok(Math.max(...slices) <= SLICE_CHARS + header.length + 1)
})

const JUDGED = /^(?!not judged on this page)/
const NOT_JUDGED = /^not judged on this page/
const listOf = (values: number) => `[${'1,'.repeat(values - 1)}1]`
const lengthOf = (chars: number) => `"${'a'.repeat(chars - 2)}"`

for (const [what, make, most] of [
  ['values', listOf, MAX_VALUES],
  ['characters', lengthOf, MAX_DOCUMENT],
] as const)
  for (const more of [-1, 0, 1])
    test(`${most + more} ${what} in one piece are ${more > 0 ? 'left open' : 'judged'}, as a document and as a line`, async () => {
      const piece = make(most + more)
      for (const text of [piece, `${header}\n${piece}`])
        assert.match((await verified(text)).reason, more > 0 ? NOT_JUDGED : JUDGED)
    })
