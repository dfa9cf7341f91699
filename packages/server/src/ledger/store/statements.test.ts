import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import {
  importPublicKey,
  PACK_PAYLOAD_TYPE,
  packStatement,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  STATEMENT_PAYLOAD_TYPE,
  utf8Encode,
  verifyEnvelope,
  verifyP256Sync,
} from '@orch/core'
import type { BatchSigner } from '../sequencer-deps.ts'
import { CHECKPOINT_PAYLOAD_TYPE, checkpointEnvelope, signStatement } from './statements.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = importPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' }).toString())!
let signed = 0
const signer: BatchSigner = {
  key: () => ({ keyid: key.keyid, kind: 'demo' }),
  sign: async (messages) => {
    signed += messages.length
    return messages.map((message) => sign('sha256', message, pair.privateKey))
  },
}
const none: BatchSigner = { key: () => null, sign: async (messages) => messages.map(() => null) }
const PACK = utf8Encode(packStatement('ab'.repeat(32)))

test('the digest of an evidence pack is signed under the type of packs', async () => {
  const found = await signStatement(signer, PACK_PAYLOAD_TYPE, PACK)
  assert.equal(found?.keyid, key.keyid)
  assert.ok(verifyP256Sync(key, pae(PACK_PAYLOAD_TYPE, PACK), found!.sig))
})

const refused: [what: string, type: string, text: string][] = [
  ['a receipt', RECEIPT_PAYLOAD_TYPE, '{"schema":"orch.receipt/v1"}'],
  ['a statement', STATEMENT_PAYLOAD_TYPE, '{"_type":"https://in-toto.io/Statement/v1"}'],
  ['a checkpoint', CHECKPOINT_PAYLOAD_TYPE, 'origin\n1\nAAAA\n'],
  ['a pack statement under the type of receipts', RECEIPT_PAYLOAD_TYPE, packStatement('ab'.repeat(32))],
  ['free text under the type of packs', PACK_PAYLOAD_TYPE, 'anything'],
  [
    'a pack statement with a further field',
    PACK_PAYLOAD_TYPE,
    `{"a":1,"orch_evidence_pack_sha3_256":"${'ab'.repeat(32)}"}`,
  ],
  ['a pack statement with a line after it', PACK_PAYLOAD_TYPE, `${packStatement('ab'.repeat(32))}\n`],
  ['a digest that is too short', PACK_PAYLOAD_TYPE, packStatement('ab')],
  ['nothing', PACK_PAYLOAD_TYPE, ''],
  ['no type', '', packStatement('ab'.repeat(32))],
]
for (const [what, type, text] of refused)
  test(`${what} is not signed`, async () => {
    const before = signed
    await assert.rejects(signStatement(signer, type, utf8Encode(text)))
    assert.equal(signed, before)
  })

test('without a key there is no signature and no failure', async () => {
  assert.equal(await signStatement(none, PACK_PAYLOAD_TYPE, PACK), null)
  assert.equal(await checkpointEnvelope(none, 'note'), null)
})

test('a checkpoint is signed under a type of its own', async () => {
  const envelope = await checkpointEnvelope(signer, 'origin\n1\nroot\n')
  assert.equal((await verifyEnvelope(envelope, [key], CHECKPOINT_PAYLOAD_TYPE)).status, 'VERIFIED')
  assert.equal((await verifyEnvelope(envelope, [key], RECEIPT_PAYLOAD_TYPE)).status, 'MISMATCH')
})
