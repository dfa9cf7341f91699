// What the log records: the bundle that others can check, and records that are not ours under a proof that holds.
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { after, beforeEach, test } from 'node:test'
import { base64Encode, hexDecode, importPublicKey, sha256Hex } from '@orch/core'
import { bundleFromJSON } from '@sigstore/bundle'
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'
import { localRekor } from '#testing/rekor/local-rekor.ts'

const rekor = await localRekor()
after(() => rekor.close())
const service = await startApp(
  { after },
  { ORCH_STORE: 'memory', ORCH_REKOR_URL: rekor.url, ORCH_REKOR_PUBLIC_KEY: rekor.publicKeyPem },
  [],
)
await post(`${service.url}/api/orch/khipu/sign`, '{"a":1}')
const anchor = async () => (await post(`${service.url}/api/orch/v1/log/anchor`)).json
const verify = async () => (await send(`${service.url}/api/orch/v1/attest/verify`)).json

beforeEach(() => {
  rekor.bend((reply) => reply)
  rekor.record((body) => body)
})

test('the bundle of the reply verifies with the public keys of the log and of this service alone', async () => {
  const { bundle } = await anchor()
  const ourKey = importPublicKey((await send(`${service.url}/cosign.pub`)).text)!
  const spkiOf = (key: { spki: Uint8Array }) => ({
    rawBytes: Buffer.from(key.spki),
    keyDetails: 5,
    validFor: undefined,
  })
  const logKey = importPublicKey(rekor.publicKeyPem)!
  const logId = { keyId: Buffer.from(hexDecode(logKey.keyid)!) }
  const log = { baseUrl: 'https://rekor.local', hashAlgorithm: 1, publicKey: spkiOf(logKey), logId, operator: '' }
  const root = {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [{ ...log, checkpointKeyId: undefined }],
    certificateAuthorities: [],
    ctlogs: [],
    timestampAuthorities: [],
  }
  const verifier = new Verifier(toTrustMaterial(root, { [ourKey.keyid]: spkiOf(ourKey) }))
  verifier.verify(toSignedEntity(bundleFromJSON(bundle)))
  bundle.verificationMaterial.tlogEntries[0].integratedTime = '1760000001'
  assert.throws(() => verifier.verify(toSignedEntity(bundleFromJSON(bundle))), { code: 'TLOG_INCLUSION_PROMISE_ERROR' })
})

// biome-ignore lint/suspicious/noExplicitAny: the tests change the record in every place
const rewritten = (change: (record: any) => unknown) => (body: Uint8Array) => {
  const record = JSON.parse(Buffer.from(body).toString('utf8'))
  return Buffer.from(JSON.stringify(change(record) ?? record))
}
const unknownKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const unknownPem = unknownKeys.publicKey.export({ type: 'spki', format: 'pem' }).toString()

const forged: [what: string, note: RegExp, change: (body: Uint8Array) => Uint8Array][] = [
  [
    'another key',
    /another key/,
    rewritten(({ spec }) => {
      spec.signatures[0].verifier = base64Encode(Buffer.from(unknownPem))
    }),
  ],
  [
    'another payload',
    /another payload/,
    rewritten(({ spec }) => {
      spec.payloadHash.value = sha256Hex('another')
    }),
  ],
  [
    'another digest algorithm',
    /another payload/,
    rewritten(({ spec }) => {
      spec.payloadHash.algorithm = 'sha512'
    }),
  ],
  [
    'another signature',
    /another payload or signature/,
    rewritten(({ spec }) => {
      spec.signatures[0].signature = sign('sha256', Buffer.from('x'), unknownKeys.privateKey).toString('base64')
    }),
  ],
  [
    'two signatures',
    /exactly one signature/,
    rewritten(({ spec }) => {
      spec.signatures.push(spec.signatures[0])
    }),
  ],
  [
    'a number for a signature',
    /signature does not verify/,
    rewritten(({ spec }) => {
      spec.signatures[0].signature = 7
    }),
  ],
  [
    'a number for a payload hash',
    /another payload/,
    rewritten(({ spec }) => {
      spec.payloadHash.value = 7
    }),
  ],
  [
    'no spec',
    /another payload/,
    rewritten((record) => {
      delete record.spec
    }),
  ],
  [
    'another type of entry',
    /another type/,
    rewritten((record) => {
      record.kind = 'hashedrekord'
    }),
  ],
  ['a list', /another type/, rewritten((record) => [record])],
  ['no JSON', /another type/, () => Buffer.from('{')],
  ['nothing', /another type/, () => Buffer.alloc(0)],
  ['two spec members', /another type/, (body) => Buffer.from(`{"spec":{},${Buffer.from(body).toString().slice(1)}`)],
]
for (const [what, note, change] of forged)
  test(`a log that records ${what} proves it in vain`, async () => {
    rekor.record(change)
    const { rekor: found, bundle, label } = await anchor()
    assert.deepEqual([found.status, label, bundle], ['INVALID', 'MODELED', null])
    assert.match(found.note, note)
  })

test('the genuine proof of another entry proves nothing about ours', async () => {
  let other: unknown = null
  rekor.bend((reply) => {
    other ??= reply
    return reply
  })
  await anchor()
  rekor.bend((reply) => reply)
  await anchor()
  rekor.bend(() => other)
  const { transparency } = await verify()
  assert.deepEqual([transparency.status, transparency.inclusion_proof], ['INVALID', null])
})
