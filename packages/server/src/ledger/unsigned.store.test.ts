// Receipts that no key signs by choice, among others that are signed: over every store, and from a draft to a verifier.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LedgerExportVerifier, pae, RECEIPT_PAYLOAD_TYPE, type ReceiptDraft } from '@orch/core'
import { settingsFor } from '#testing/ledger/crashes.ts'
import {
  appendTogether,
  assertAppended,
  fakeSignature,
  sequencerOn,
  signer,
  switchedSigner,
} from '#testing/ledger-sequencers.ts'
import { entryOf, KEYID, RING_KEY, storeSuite } from '#testing/ledger-stores.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { trustedKeys } from '../domain/keys.ts'
import { openLedger } from './ledger.ts'

const everyStore = storeSuite((ledger) => ledger.store.putKey(RING_KEY))
const UNSIGNED = { unsigned: true as const }
const mixed = [0, 1, 2, 3, 4].map((n) => entryOf(`chain-${n % 2}`, n, n % 2 === 1 ? UNSIGNED : {}))

everyStore('of one batch each receipt is signed or unsigned as it was asked for', async ({ store, reader }) => {
  const asked: Uint8Array[] = []
  const spying = {
    ...signer,
    sign: (messages: readonly Uint8Array[]) => {
      asked.push(...messages)
      return signer.sign(messages)
    },
  }
  const appended = (await appendTogether(await sequencerOn(store, { signer: spying }), mixed)).map(assertAppended)
  const rows = await reader.range(0, 10)
  assert.deepEqual(
    rows.map(({ signatureState, keyid, keyKind }) => [signatureState, keyid, keyKind]),
    [0, 1, 2, 3, 4].map((n) => (n % 2 === 1 ? ['UNSIGNED', null, null] : ['SIGNED', KEYID, 'demo'])),
  )
  for (const [at, row] of rows.entries()) {
    const { signature, signatureState, digest } = appended[at]!
    assert.deepEqual([digest, signatureState], [row.digest, row.signatureState])
    assert.deepEqual(signature, row.signature)
    const message = pae(RECEIPT_PAYLOAD_TYPE, row.body)
    assert.deepEqual(row.signature, at % 2 === 1 ? null : fakeSignature(message))
  }
  assert.deepEqual(
    asked,
    rows.filter((_, at) => at % 2 === 0).map(({ body }) => pae(RECEIPT_PAYLOAD_TYPE, body)),
  )
})

everyStore('a signer that does not answer is not needed for what is unsigned by choice', async ({ store, reader }) => {
  const failing = switchedSigner()
  failing.fails = true
  const sequencer = await sequencerOn(store, { signer: failing })
  assert.equal(assertAppended(await sequencer.append(entryOf('a', 0, UNSIGNED))).signatureState, 'UNSIGNED')
  const refused = await sequencer.append(entryOf('a', 1))
  assert.equal(refused.ok ? 'ok' : refused.code, 'signer_unavailable')
  assert.deepEqual(
    (await reader.range(0, 10)).map(({ signatureState }) => signatureState),
    ['UNSIGNED'],
  )
})

everyStore('a signer that failed and a choice not to sign stay told apart', async ({ store, reader }) => {
  const failing = switchedSigner()
  failing.fails = true
  await appendTogether(await sequencerOn(store, { signer: failing, allowUnsigned: true }), mixed.slice(0, 2))
  assert.deepEqual(
    (await reader.range(0, 10)).map(({ signatureState }) => signatureState),
    ['SIGNER_UNAVAILABLE', 'UNSIGNED'],
  )
})

const draft = (kind: ReceiptDraft['kind']): ReceiptDraft => ({
  ns: 'public',
  chain: kind,
  kind,
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: kind,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { kind },
})

test('the whole ledger verifies with an unsigned sample in it and the report counts it', async () => {
  const ledger = await openLedger(settingsFor(freshFolder('unsigned')))
  await ledger.append(draft('mint'))
  const sample = await ledger.append(draft('sample'), { unsigned: true })
  assert.deepEqual([sample.signature, sample.keyid, sample.signatureState], [null, null, 'UNSIGNED'])
  await ledger.append(draft('mint'))
  await ledger.checkpointNow()
  assert.equal((await ledger.walk(true)).broken, null)
  const verifier = new LedgerExportVerifier({ keys: trustedKeys(await ledger.reader.keys()), logKeys: [ledger.vkey] })
  for await (const line of ledger.exportLines()) await verifier.push(line.trimEnd())
  await ledger.close()
  const report = await verifier.finish()
  const signature = report.checks.find(({ check }) => check === 'signature')!
  assert.equal(signature.status, 'VERIFIED')
  assert.deepEqual([signature.details.unsigned, signature.details.unsigned_samples], [0, 1])
  assert.equal(report.verdict, 'PARTIAL', 'the time in the drafts lies before the key')
  assert.equal(report.checks.find(({ check }) => check === 'hash_chain')?.status, 'VERIFIED')
})

test('nothing but a sample can choose to go unsigned', async () => {
  const ledger = await openLedger({ ...settingsFor(freshFolder('unsigned')), store: 'memory' })
  await assert.rejects(ledger.append(draft('decision'), { unsigned: true }), /only a sample/)
  assert.equal(ledger.state().size, 0)
  await ledger.close()
})
