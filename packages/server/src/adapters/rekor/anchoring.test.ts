// Whatever a log puts in whichever field of its reply: the reading is INVALID and nothing is thrown.
import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync } from 'node:crypto'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { base64Encode, formatCheckpoint, importPublicKey, leafHash, pae, utf8Encode } from '@orch/core'
import fc from 'fast-check'
import { localRekor } from '#testing/rekor/local-rekor.ts'
import type { JsonExchange } from '../outbound/contract.ts'
import { jsonExchange } from '../outbound/wire.ts'
import { rekorAnchoring } from './anchoring.ts'
import { anchorInMemory } from './readings.ts'

const rekor = await localRekor()
after(() => rekor.close())

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
const root = leafHash(utf8Encode('the only receipt'))
const payload = utf8Encode(
  `${formatCheckpoint({ origin: 'orch.test/log', size: 1, root })}\n— orch.test/log ${base64Encode(new Uint8Array(68))}\n`,
)
const payloadType = 'application/vnd.test.checkpoint'
const sig = createSign('sha256').update(pae(payloadType, payload)).sign(privateKey, 'base64')
const keyid = importPublicKey(publicKeyPem)!.keyid
const envelope = { payloadType, payload: base64Encode(payload), signatures: [{ sig, keyid }] }

const ledger = {
  signCheckpoint: async () => ({ size: 1, envelope, publicKeyPem }),
  rootAt: async () => root,
  consistency: async () => [],
  state: () => ({
    size: 1,
    root: '',
    readOnly: null,
    broken: false,
    rolledBack: false,
    guard: { kind: 'none' as const, fault: null, blocking: false },
    durability: 'EPHEMERAL' as const,
  }),
}

// biome-ignore lint/suspicious/noExplicitAny: the tests damage the reply in every place
let genuine: any
let reported: unknown
const outbound = jsonExchange({ enabled: true, privateHosts: ['127.0.0.1'] })
const exchange: JsonExchange = async (request, signal) => {
  if (request.body === undefined) return { ok: true, value: reported }
  const answer = await outbound(request, signal)
  if (answer.ok) genuine = answer.value
  return answer
}
const anchoring = rekorAnchoring(
  { url: rekor.url, publicKeyPem: rekor.publicKeyPem },
  ledger,
  exchange,
  anchorInMemory(),
)
const signal = AbortSignal.timeout(60_000)
const anchored = await anchoring.anchor(signal)

async function reading(change: (entry: typeof genuine) => void) {
  const reply = structuredClone(genuine)
  change(Object.values(reply)[0])
  reported = reply
  return anchoring.read(signal)
}

const FIELDS = [
  ['body'],
  ['integratedTime'],
  ['logID'],
  ['logIndex'],
  ['verification'],
  ['verification', 'signedEntryTimestamp'],
  ['verification', 'inclusionProof'],
  ['verification', 'inclusionProof', 'checkpoint'],
  ['verification', 'inclusionProof', 'hashes'],
  ['verification', 'inclusionProof', 'hashes', 0],
  ['verification', 'inclusionProof', 'logIndex'],
  ['verification', 'inclusionProof', 'rootHash'],
  ['verification', 'inclusionProof', 'treeSize'],
]
const place = (entry: typeof genuine, path: (string | number)[]) =>
  [path.slice(0, -1).reduce((at, name) => at[name], entry), path.at(-1)!] as const

test('the reply as it is holds', async () => {
  assert.deepEqual([anchored.status, (await reading(() => undefined)).status], ['INCLUDED', 'INCLUDED'])
})

test('no field of a reply can be replaced by anything', async () => {
  const damage = fc.oneof(fc.jsonValue(), fc.integer(), fc.base64String(), fc.stringMatching(/^[0-9a-f]{64}$/))
  const property = fc.asyncProperty(fc.constantFrom(...FIELDS), damage, async (path, value) => {
    let same = false
    const { status, bundle } = await reading((entry) => {
      const [holder, name] = place(entry, path)
      same = isDeepStrictEqual(holder[name], value)
      holder[name] = value
    })
    assert.deepEqual([status, bundle === null], same ? ['INCLUDED', false] : ['INVALID', true], path.join('.'))
  })
  await fc.assert(property, { seed: 41, numRuns: 600 })
})

test('no character of a signed text can be another one', async () => {
  const texts = FIELDS.filter((path) => ['body', 'logID', 'signedEntryTimestamp', 'rootHash', 0].includes(path.at(-1)!))
  const property = fc.asyncProperty(fc.constantFrom(...texts), fc.nat(), fc.nat(63), async (path, at, digit) => {
    const { status } = await reading((entry) => {
      const [holder, name] = place(entry, path)
      const [text, where] = [holder[name] as string, at % holder[name].length]
      const next = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'[digit]!
      holder[name] = `${text.slice(0, where)}${text[where] === next ? '=' : next}${text.slice(where + 1)}`
    })
    assert.equal(status, 'INVALID', path.join('.'))
  })
  await fc.assert(property, { seed: 42, numRuns: 300 })
})

test('a damaged memory of the anchor is INVALID, whatever the log says', async () => {
  reported = genuine
  for (const broken of [null, {}, { ...envelope, signatures: [] }, { ...envelope, payload: base64Encode(root) }]) {
    const memory = {
      load: () => ({ log_index: 1005, entry_uuid: 'x', envelope: broken as never, publicKeyPem }),
      save: () => undefined,
    }
    const settings = { url: rekor.url, publicKeyPem: rekor.publicKeyPem }
    const { status } = await rekorAnchoring(settings, ledger, exchange, memory).read(signal)
    assert.equal(status, 'INVALID', JSON.stringify(broken))
  }
})
