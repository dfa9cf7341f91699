import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import type { KeysFile } from '../../../../vectors/cases.ts'
import { canonicalizePortable } from '../canonical.ts'
import { formatVkey, noteKeyHash } from '../checkpoint.ts'
import { importPublicKey } from '../p256.ts'
import { readReceiptLine, receiptLine } from './ledger-lines.ts'
import { EMPTY_RECORD, isUnsignedAt, readRecord, signRecord, withKey, withUnsigned } from './ledger-record.ts'
import { linesOf, verifyLedgerExport } from './recognise.ts'
import type { Trust } from './trust.ts'

const read = (name: string): string => readFileSync(new URL(`../../../../vectors/${name}`, import.meta.url), 'utf8')
const keys = JSON.parse(read('keys.json')) as KeysFile
const lines = linesOf(read('ledger.jsonl'))
const secret = new Uint8Array(32).fill(7)
const publicKey = ed25519.getPublicKey(secret)
const signer = {
  name: 'record.test',
  keyHash: noteKeyHash('record.test', publicKey),
  sign: (text: Uint8Array) => ed25519.sign(text, secret),
}
const vkey = formatVkey('record.test', publicKey)
const trust: Trust = {
  keys: [{ key: importPublicKey(keys.p256.production!.pem)!, kind: 'production' }],
  logKeys: [keys.ed25519.log!.vkey, vkey],
}

/** The signature taken off the receipt on this line. */
const stripped = (line: number): string[] =>
  lines.with(line - 1, receiptLine({ ...readReceiptLine(lines[line - 1]!)!, signature: null, keyid: null }))
const withRecord = (from: readonly string[], record: string): string[] => [
  canonicalizePortable({ ...(JSON.parse(from[0]!) as object), record }),
  ...from.slice(1),
]

test('a signature taken off after a signed receipt is found at its line', async () => {
  for (const line of [3, 4, 5, 6]) {
    const report = await verifyLedgerExport(stripped(line), trust)
    const first = report.subject?.first_bad as { line: number; node_index: number }
    assert.equal(report.verdict, 'FAIL')
    assert.deepEqual([first.line, first.node_index], [line, line - 2])
    assert.equal(report.checks.find(({ check }) => check === 'signature')?.details.reason, 'signature_missing')
  }
})

test('a signature taken off the first receipt leaves the export unsigned and never passes', async () => {
  const report = await verifyLedgerExport(stripped(2), trust)
  assert.equal(report.verdict, 'INCONCLUSIVE')
  assert.equal(report.checks.find(({ check }) => check === 'signature')?.status, 'UNSIGNED')
})

test('a receipt that the ledger itself declared unsigned is unsigned and no break', async () => {
  const record = await signRecord(withUnsigned(EMPTY_RECORD, { from: 2, to: 3 }), signer)
  const report = await verifyLedgerExport(withRecord(stripped(4), record), trust)
  const signature = report.checks.find(({ check }) => check === 'signature')!
  assert.deepEqual(
    [report.verdict, signature.status, signature.details.first_unsigned],
    ['INCONCLUSIVE', 'UNSIGNED', 2],
  )
  const undeclared = await verifyLedgerExport(withRecord(stripped(5), record), trust)
  assert.equal((undeclared.subject!.first_bad as { line: number }).line, 5)
})

test('a declaration that no pinned log key signed allows nothing', async () => {
  const record = await signRecord(withUnsigned(EMPTY_RECORD, { from: 0, to: 9 }), signer)
  const report = await verifyLedgerExport(withRecord(stripped(4), record), {
    ...trust,
    logKeys: trust.logKeys!.slice(0, 1),
  })
  assert.equal(report.verdict, 'FAIL')
  const forged = withRecord(stripped(4), record.replace('unsigned 0 9', 'unsigned 0 8'))
  assert.equal((await verifyLedgerExport(forged, trust)).verdict, 'FAIL')
})

test('a record comes back as it was signed, and edited or foreign ones do not', async () => {
  const key = { keyid: 'ab'.repeat(32), kind: 'demo' as const, from_index: 0, to_index: null, from: '', to: null }
  const closed = { ...key, to_index: 9, from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' }
  const record = withKey(withUnsigned(withUnsigned(EMPTY_RECORD, { from: 3, to: 5 }), { from: 5, to: 8 }), key)
  assert.deepEqual(record.unsigned, [{ from: 3, to: 8 }])
  for (const one of [EMPTY_RECORD, record, withKey(record, closed), withUnsigned(record, { from: 10, to: 11 })]) {
    const note = await signRecord(one, signer)
    assert.deepEqual(await readRecord(note, [vkey]), one)
    assert.equal(await readRecord(note, [keys.ed25519.log!.vkey]), null)
    assert.equal(await readRecord(note.replace('demo', 'production').replace('log ', 'log x'), [vkey]), null)
  }
  assert.deepEqual(
    [2, 3, 7, 8].map((index) => isUnsignedAt(record, index)),
    [false, true, true, false],
  )
})
