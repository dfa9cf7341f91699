import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { importPublicKey } from '../p256.ts'
import { recognise, verifyAny } from './recognise.ts'

const read = (name: string) => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')
const golden = JSON.parse(read('golden.json'))

test('each kind of evidence is recognised by its own marks', () => {
  assert.equal(recognise(JSON.parse(golden.chain[0].body_text)), 'receipt')
  assert.equal(recognise(golden.record), 'receipt')
  assert.equal(recognise(golden.chain[0].envelope), 'envelope')
  assert.equal(recognise(golden.export), 'export')
  assert.equal(recognise(golden.pack), 'pack')
  assert.equal(recognise(golden.statement_envelope), 'statement')
  assert.equal(recognise(golden.statement_record), 'statement')
  assert.equal(recognise(golden.statement_record.statement), 'statement')
  assert.equal(recognise({ schema: 'orch.ledger-export/v1' }), 'ledger-export')
  assert.equal(recognise({ schema: 'orch.verification-report/v1' }), 'report')
})

test('anything else is unknown, whatever its keys are called', () => {
  for (const value of [null, 1, 'x', [], [golden.record], { constructor: 1 }, { __proto__: golden.record }])
    assert.equal(recognise(value), 'unknown')
  fc.assert(
    fc.property(fc.jsonValue(), (value) => assert.equal(recognise(value), 'unknown')),
    { seed: 7 },
  )
})

test('a file is read strictly: bad UTF-8 or a second value ends in a report', async () => {
  const text = JSON.stringify(golden.record)
  assert.equal((await verifyAny(`${text}${text}`, { keys: [] })).verdict, 'FAIL')
  assert.equal((await verifyAny(JSON.stringify(text), { keys: [] })).verdict, 'INCONCLUSIVE')
  const latin = Uint8Array.of(0x7b, 0xe9, 0x7d)
  assert.match((await verifyAny(latin, { keys: [] })).checks[0]!.reason, /UTF-8/)
})

const pem = JSON.parse(read('keys.json')).p256.production.pem
const trust = { keys: [{ key: importPublicKey(pem)!, kind: 'caller-supplied' as const }] }
const exported = read('ledger.jsonl')
const respelled: [what: string, how: (text: string) => string, said: RegExp][] = [
  ['a byte order mark', (text) => `\ufeff${text}`, /^a byte order mark/],
  ['line ends of CR LF', (text) => text.replaceAll('\n', '\r\n'), /^the lines end in CR LF/],
  ['both', (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`, /^the lines end in CR LF/],
]
for (const [what, how, said] of respelled)
  test(`an export with ${what} is inconclusive and says why, and a changed one still fails`, async () => {
    assert.notEqual((await verifyAny(exported, trust)).verdict, 'INCONCLUSIVE')
    const { kind, verdict, checks } = await verifyAny(how(exported), trust)
    assert.deepEqual([kind, verdict, checks[0]!.status], ['ledger-export', 'INCONCLUSIVE', 'UNAVAILABLE'])
    assert.match(checks[0]!.reason, said)
    assert.equal(checks[1]!.status, 'VERIFIED')
    const lines = exported.split('\n')
    assert.equal((await verifyAny(how(lines.toSpliced(2, 1).join('\n')), trust)).verdict, 'FAIL')
  })

test('a receipt with a byte order mark is inconclusive, and line ends of CR LF in some lines of an export fail', async () => {
  const { verdict, checks } = await verifyAny(`\ufeff${JSON.stringify(golden.record)}`, trust)
  assert.equal(verdict, 'INCONCLUSIVE')
  assert.match(checks[0]!.reason, /^a byte order mark/)
  assert.equal((await verifyAny('\ufeffhello', trust)).verdict, 'INCONCLUSIVE')
  const [header, ...rest] = exported.split('\n')
  assert.equal((await verifyAny(`${header}\n${rest.join('\r\n')}`, trust)).verdict, 'FAIL')
})

test('a single line that is the canonical form of a record is a record, not a ledger export', async () => {
  const report = await verifyAny(JSON.stringify({ checkpoint: null, ...golden.record }), { keys: [] })
  assert.equal(report.kind, 'receipt')
})

test('the time of the report is the caller’s', async () => {
  const checkedAt = '2026-01-02T00:00:00.000Z'
  for (const value of [golden.record, golden.pack, null, { a: 1 }, golden.statement_record])
    assert.equal((await verifyAny(value, { keys: [], checkedAt })).checked_at, checkedAt)
})

test('an envelope of somebody else accuses nobody, and a receipt under another payload type still fails', async () => {
  const { envelope } = golden.chain[0]
  const foreign = { ...envelope, payloadType: 'application/json', payload: btoa('{"a":1}') }
  const report = await verifyAny(foreign, { keys: [] })
  assert.equal(report.verdict, 'INCONCLUSIVE')
  assert.match(report.checks[0]!.reason, /another payload type/)
  const renamed = { ...envelope, payloadType: 'application/json' }
  assert.equal((await verifyAny(renamed, { keys: [] })).verdict, 'FAIL')
})
