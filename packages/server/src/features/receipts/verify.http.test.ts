import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { derToRaw, importPublicKey, rawToDer, verifyReceipt } from '@orch/core'
import { startApp } from '#testing/layer.ts'
import { post, send } from '#testing/raw-http.ts'

const P = '/api/orch/v1'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const { reader } = service.app.ports.ledger
const get = (path: string) => send(`${service.url}${path}`)
const mint = async (body: object) => (await post(`${service.url}/api/orch/khipu/sign`, JSON.stringify(body))).json
const verify = (body: unknown) => post(`${service.url}${P}/verify/receipt`, JSON.stringify(body))
const checksOf = (report: { checks: { check: string; status: string }[] }) =>
  Object.fromEntries(report.checks.map(({ check, status }) => [check, status]))

await mint({ first: true })
const receipt = await mint({ second: true })
const envelope = receipt.dsse

test('every form a receipt travels in is verified in full, and nothing is appended', async () => {
  const before = (await reader.head()).size
  const record = (await get(`${P}/receipts/${receipt.digest}`)).json
  const forms = [
    { envelope },
    { envelope: JSON.stringify(envelope) },
    { envelope: Buffer.from(JSON.stringify(envelope)).toString('base64url') },
    { receipt_id: receipt.digest },
    { receipt_id: receipt.digest, envelope },
    { receipt: record },
    { receipt },
    { export: (await get(`${P}/receipt/export?digest=${receipt.digest}`)).json },
    { envelope, organ: 'mint' },
  ]
  for (const form of forms) {
    const answer = await verify(form)
    assert.equal(answer.status, 200)
    assert.equal(answer.json.verdict, 'PARTIAL', JSON.stringify(answer.json.checks))
    assert.equal(answer.headers['x-orch-verify-verdict'], 'PARTIAL')
    assert.equal(checksOf(answer.json).key_trust, 'DEMO')
    assert.equal(answer.json.subject.digest, receipt.digest)
  }
  assert.equal((await reader.head()).size, before)
})

test('the alias, the path by id and the khipu paths give the same report', async () => {
  const { checked_at, ...wanted } = (await get(`${P}/verify/receipt/${receipt.digest}`)).json
  assert.ok(Date.parse(checked_at) > 0)
  assert.equal(wanted.verdict, 'PARTIAL')
  const others = [
    await get(`/v1/verify/receipt/${receipt.digest}`),
    await get(`${P}/khipu/verify/${receipt.digest}`),
    await post(`${service.url}/v1/verify/receipt`, JSON.stringify({ receipt_id: receipt.digest })),
  ]
  for (const { json } of others) assert.deepEqual({ ...json, checked_at }, { ...wanted, checked_at })
  const sent = await post(`${service.url}/api/orch/khipu/verify`, JSON.stringify(envelope))
  assert.equal(sent.json.verdict, 'PARTIAL')
  assert.equal(
    (await post(`${service.url}/api/orch/khipu/verify`, JSON.stringify({ envelope }))).json.verdict,
    'PARTIAL',
  )
})

test('the record of a receipt is a file that the verifier alone accepts, key and log given', async () => {
  const record = (await get(`${P}/receipts/${receipt.digest}`)).json
  const { keys, log_vkey } = (await get(`${P}/keys`)).json
  const key = importPublicKey(keys[0].public_key_pem)!
  const report = await verifyReceipt(record, { keys: [{ key, kind: 'demo' }], logKeys: [log_vkey] })
  assert.deepEqual(checksOf(report), {
    structure: 'VERIFIED',
    signature: 'VERIFIED',
    payload_digest: 'VERIFIED',
    hash_chain: 'VERIFIED',
    inclusion: 'VERIFIED',
    key_trust: 'DEMO',
  })
})

test('nothing to verify is 400 with the verdict in body and header', async () => {
  for (const body of [undefined, '{}', '{"organ":"mint"}']) {
    const answer = await post(`${service.url}${P}/verify/receipt`, body)
    assert.equal(answer.status, 400)
    assert.equal(answer.json.verdict, 'NO_INPUT')
    assert.equal(answer.json.error.code, 'no_input')
    assert.equal(answer.headers['x-orch-verify-verdict'], 'NO_INPUT')
  }
})

test('an id this ledger does not hold is 404, one that is no digest is 422', async () => {
  const unknown = 'ab'.repeat(32)
  for (const answer of [await get(`${P}/verify/receipt/${unknown}`), await verify({ receipt_id: unknown })]) {
    assert.equal(answer.status, 404)
    assert.equal(answer.json.error.code, 'receipt_not_found')
  }
  for (const id of ['xyz', unknown.toUpperCase(), unknown.slice(1)])
    assert.equal((await get(`${P}/verify/receipt/${id}`)).status, 422)
})

const misfits: [what: string, body: object, loc: string[]][] = [
  ['two things at once', { envelope: {}, export: {} }, ['body', 'export']],
  ['an unknown property', { envelop: {} }, ['body', 'envelop']],
  ['a key that is none', { envelope, public_key_pem: 'nonsense' }, ['body', 'public_key_pem']],
  ['a number for an envelope', { envelope: 7 }, ['body', 'envelope']],
]
for (const [what, body, loc] of misfits)
  test(`${what} does not fit the contract`, async () => {
    const answer = await verify(body)
    assert.equal(answer.status, 422)
    assert.deepEqual(answer.json.detail[0].loc, loc)
  })

test('256 KiB are read and one byte more is not', async () => {
  const of = (bytes: number) => `{"envelope":"${'x'.repeat(bytes - '{"envelope":""}'.length)}"}`
  for (const [bytes, status] of [
    [256 * 1024, 200],
    [256 * 1024 + 1, 413],
  ] as const)
    assert.equal((await post(`${service.url}${P}/verify/receipt`, of(bytes))).status, status)
})

const texts: [text: string, status: number, verdict: string][] = [
  ['', 400, 'NO_INPUT'],
  ['bnVsbA', 400, 'NO_INPUT'],
  ['not base64url!', 200, 'INCONCLUSIVE'],
  ['e30=', 200, 'INCONCLUSIVE'],
  ['{"a":1,"a":2}', 200, 'INCONCLUSIVE'],
  ['{"payloadType":', 200, 'FAIL'],
]
for (const [text, status, verdict] of texts)
  test(`the envelope text ${JSON.stringify(text)} ends in the report ${verdict}`, async () => {
    const answer = await verify({ envelope: text })
    assert.deepEqual([answer.status, answer.json.verdict], [status, verdict])
  })

// What an attacker can do to a signature, done to a real one.
const N = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')
const bigint = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
const raw = derToRaw(Buffer.from(envelope.signatures[0].sig, 'base64'))!
const der = rawToDer(raw)
const scalars = (r: bigint, s: bigint) =>
  rawToDer(Buffer.from(r.toString(16).padStart(64, '0') + s.toString(16).padStart(64, '0'), 'hex'))
const [r, s] = [bigint(raw.subarray(0, 32)), bigint(raw.subarray(32))]

const signatures: [what: string, sig: Uint8Array, signature: string][] = [
  ['the signature itself', der, 'VERIFIED'],
  ['(r, n-s), which is no second receipt', scalars(r, N - s), 'VERIFIED'],
  ['r and s swapped', scalars(s, r), 'MISMATCH'],
  ['r zero', scalars(0n, s), 'MISMATCH'],
  ['s zero', scalars(r, 0n), 'MISMATCH'],
  ['r of n', scalars(N, s), 'MISMATCH'],
  ['a trailing byte', Buffer.concat([der, Buffer.of(0)]), 'MISMATCH'],
  ['a long form length (BER)', Buffer.concat([Buffer.of(0x30, 0x81, der[1]!), der.subarray(2)]), 'MISMATCH'],
  ['an indefinite length (BER)', Buffer.concat([Buffer.of(0x30, 0x80), der.subarray(2), Buffer.of(0, 0)]), 'MISMATCH'],
  ['raw r and s', raw, 'MISMATCH'],
  ['a cut signature', der.subarray(0, -1), 'MISMATCH'],
  ['no bytes', new Uint8Array(0), 'MISMATCH'],
]
for (const [what, sig, wanted] of signatures)
  test(`${what} gives ${wanted}`, async () => {
    const signed = [{ sig: Buffer.from(sig).toString('base64'), keyid: envelope.keyid }]
    const { json } = await verify({ envelope: { ...envelope, signatures: signed } })
    assert.equal(checksOf(json).signature, wanted)
    assert.equal(json.verdict, wanted === 'VERIFIED' ? 'PARTIAL' : 'FAIL')
    assert.equal(json.subject.digest, receipt.digest)
  })

const paeOf = (type: string, payload: Buffer) =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `), payload])

function signedBy(privateKey: KeyObject, keyid: string, type = envelope.payloadType, payload = envelope.payload) {
  const sig = sign('sha256', paeOf(type, Buffer.from(payload, 'base64')), privateKey).toString('base64')
  return { payloadType: type, payload, signatures: [{ sig, keyid }] }
}

/** The same body as if a production key had signed it. */
const saysProduction = (payload: string): string =>
  Buffer.from(
    Buffer.from(payload, 'base64').toString().replace('"key_kind":"demo"', '"key_kind":"production"'),
  ).toString('base64')

const outsider = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = outsider.publicKey.export({ type: 'spki', format: 'pem' }).toString()
const unknownId = createHash('sha256')
  .update(outsider.publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex')

test('a stranger’s key is unknown until the caller brings it, and is then never more than caller-supplied', async () => {
  const forged = signedBy(outsider.privateKey, unknownId, envelope.payloadType, saysProduction(envelope.payload))
  const alone = (await verify({ envelope: forged })).json
  assert.equal(checksOf(alone).signature, 'UNAVAILABLE')
  const brought = (await verify({ envelope: forged, public_key_pem: pem })).json
  assert.equal(checksOf(brought).signature, 'VERIFIED')
  assert.equal(checksOf(brought).key_trust, 'UNAVAILABLE')
  assert.equal(brought.checks[5].details.kind, 'caller-supplied')
  assert.notEqual(brought.verdict, 'PASS')
})

test('a key that the caller brings is a demo key where the bytes it signed say so', async () => {
  const brought = (await verify({ envelope: signedBy(outsider.privateKey, unknownId), public_key_pem: pem })).json
  assert.deepEqual([checksOf(brought).signature, checksOf(brought).key_trust], ['VERIFIED', 'DEMO'])
})

test('a stranger’s signature under our key id, and our bytes under another type, are refused', async () => {
  assert.equal(
    checksOf((await verify({ envelope: signedBy(outsider.privateKey, envelope.keyid) })).json).signature,
    'MISMATCH',
  )
  const other = signedBy(outsider.privateKey, unknownId, 'application/vnd.in-toto+json')
  assert.equal((await verify({ envelope: other, public_key_pem: pem })).json.verdict, 'FAIL')
})

test('a demo key that is called production fails', async () => {
  const record = (await get(`${P}/receipts/${receipt.digest}`)).json
  const answer = (await verify({ receipt: { ...record, key_kind: 'production' } })).json
  assert.equal(checksOf(answer).key_trust, 'MISMATCH')
})

/** Over kept connections, a few at a time. */
async function verifyEach<Item>(
  items: readonly Item[],
  bodyOf: (item: Item) => object,
  judge: (status: number, report: { verdict: string; checks: { check: string; status: string }[] }, item: Item) => void,
) {
  const waiting = [...items]
  const work = async () => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(item)),
      }
      const answer = await fetch(`${service.url}${P}/verify/receipt`, init)
      judge(answer.status, (await answer.json()) as never, item)
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

const flippedAt = (bytes: Buffer, at: number) => bytes.with(at, bytes[at]! ^ 1)

test('every single byte of the payload, flipped, is found', async () => {
  const bytes = Buffer.from(envelope.payload, 'base64')
  const { payloadType, signatures } = envelope
  await verifyEach(
    [...bytes.keys()],
    (at) => ({
      envelope: { payloadType, signatures, payload: Buffer.from(flippedAt(bytes, at)).toString('base64') },
    }),
    (status, { verdict }, at) => assert.deepEqual([status, verdict], [200, 'FAIL'], `byte ${at}`),
  )
})

test('every single byte of the signature, flipped, is found', async () => {
  const { payloadType, payload, keyid } = envelope
  await verifyEach(
    [...der.keys()],
    (at) => ({
      envelope: {
        payloadType,
        payload,
        signatures: [{ keyid, sig: Buffer.from(flippedAt(Buffer.from(der), at)).toString('base64') }],
      },
    }),
    (status, { verdict }, at) => assert.deepEqual([status, verdict], [200, 'FAIL'], `byte ${at}`),
  )
})

test('every single byte of the envelope as text, flipped, never passes and never ends in a server error', async () => {
  const { payloadType, payload, signatures: made } = envelope
  const bytes = Buffer.from(JSON.stringify({ payloadType, payload, signatures: made }))
  await verifyEach(
    [...bytes.keys()],
    (at) => ({ envelope: Buffer.from(flippedAt(bytes, at)).toString('base64url') }),
    (status, { verdict }, at) => {
      assert.equal(status, 200, `byte ${at}`)
      assert.notEqual(verdict, 'PASS', `byte ${at}`)
    },
  )
})

const wycheproof = new URL('../../../../../../shared/vectors/wycheproof/', import.meta.url)
// The vectors sign arbitrary bytes and this operation verifies receipts, so none of them can verify here: what is shown
// is that none does over a genuine receipt and that each ends in a report. That the valid ones verify over their own
// message is shown by the test of the library.
for (const [file, count] of [
  ['ecdsa_secp256r1_sha256_test.json', 484],
  ['ecdsa_secp256r1_sha256_p1363_test.json', 262],
] as const)
  test(`${count} signatures of Wycheproof (${file}), each with its key, over a genuine receipt: none verifies`, async (t) => {
    if (!existsSync(wycheproof)) return t.skip('SKIPPED: ../shared absent')
    type Group = { publicKeyPem: string; tests: { tcId: number; sig: string }[] }
    const { testGroups } = JSON.parse(readFileSync(new URL(file, wycheproof), 'utf8')) as { testGroups: Group[] }
    const cases = testGroups.flatMap(({ publicKeyPem, tests }) => tests.map((one) => ({ ...one, publicKeyPem })))
    assert.equal(cases.length, count)
    const { payloadType, payload } = envelope
    await verifyEach(
      cases,
      ({ sig, publicKeyPem }) => {
        const { keyid } = importPublicKey(publicKeyPem)!
        const signatures = [{ sig: Buffer.from(sig, 'hex').toString('base64'), keyid }]
        return { envelope: { payloadType, payload, signatures }, public_key_pem: publicKeyPem }
      },
      (status, report, { tcId }) => {
        assert.deepEqual([status, report.verdict], [200, 'FAIL'], `case ${tcId}`)
        assert.notEqual(checksOf(report).signature, 'VERIFIED', `case ${tcId}`)
      },
    )
  })

test('a bare body is linked and included but stays unsigned', async () => {
  const body = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
  const { json } = await verify({ receipt: body })
  assert.deepEqual(checksOf(json), {
    structure: 'VERIFIED',
    signature: 'UNSIGNED',
    payload_digest: 'UNAVAILABLE',
    hash_chain: 'VERIFIED',
    inclusion: 'VERIFIED',
    key_trust: 'UNAVAILABLE',
  })
  assert.equal(json.verdict, 'INCONCLUSIVE')
})

test('a receipt of another ledger keeps its signature and has no chain here', async (t) => {
  const other = await startApp(t as never, { ORCH_STORE: 'memory' })
  const foreign = (await post(`${other.url}/api/orch/khipu/sign`, '{"a":1}')).json
  const { keys } = (await send(`${other.url}${P}/keys`)).json
  const { json } = await verify({ envelope: foreign.dsse, public_key_pem: keys[0].public_key_pem })
  assert.equal(checksOf(json).signature, 'VERIFIED')
  assert.equal(checksOf(json).hash_chain, 'UNAVAILABLE')
  assert.equal(json.verdict, 'PARTIAL')
})

test('a receipt of another chain than the one named, or with another id, fails', async () => {
  assert.equal(checksOf((await verify({ envelope, organ: 'governance' })).json).hash_chain, 'MISMATCH')
  assert.equal(checksOf((await verify({ envelope, receipt_id: 'ab'.repeat(32) })).json).payload_digest, 'MISMATCH')
})

test('the manifest names what is accepted, the checks and the verdicts', async () => {
  const { json, status } = await get(`${P}/verify/receipt`)
  assert.equal(status, 200)
  const six = ['structure', 'signature', 'payload_digest', 'hash_chain', 'inclusion', 'key_trust']
  assert.deepEqual(json.checks, [...six, 'lambda'])
  assert.deepEqual((await get('/v1/verify/receipt')).json, json)
})
