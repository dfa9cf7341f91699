import assert from 'node:assert/strict'
import { createSign, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Envelope } from './dsse.ts'
import { pae, paeSha256Hex, parseEnvelope, signEnvelope, verifyEnvelope } from './dsse.ts'
import { base64Encode, utf8Decode } from './encoding.ts'
import { JsonError, parseStrictJson } from './json.ts'
import { importPublicKey } from './p256.ts'

const TYPE = 'application/vnd.orch.receipt+json'
const payload = new TextEncoder().encode('{"decision":"ALLOW","seq":0}')

function signer() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = importPublicKey(String(publicKey.export({ format: 'pem', type: 'spki' })))
  assert.ok(key)
  const sign = async (message: Uint8Array) => ({
    sig: new Uint8Array(createSign('sha256').update(message).sign(privateKey)),
    keyid: key.keyid,
  })
  return { key, sign }
}

const alice = signer()
const bob = signer()
const signed = await signEnvelope(TYPE, payload, alice.sign)
const signatureOf = (envelope: Envelope) => envelope.signatures[0] as Envelope['signatures'][number]
const statusOf = async (value: unknown, keys = [alice.key], type = TYPE) =>
  (await verifyEnvelope(value, keys, type)).status

test('the PAE is that of the DSSE specification, lengths in bytes', () => {
  const hello = pae('http://example.com/HelloWorld', new TextEncoder().encode('hello world'))
  assert.equal(utf8Decode(hello), 'DSSEv1 29 http://example.com/HelloWorld 11 hello world')
  assert.equal(utf8Decode(pae('\u00e9', new TextEncoder().encode('\u20ac'))), 'DSSEv1 2 \u00e9 3 \u20ac')
  assert.equal(utf8Decode(pae('', new Uint8Array(0))), 'DSSEv1 0  0 ')
})

test('no two pairs of type and payload share a PAE', () => {
  const text = fc.string({ unit: fc.constantFrom(' ', '1', 'a', '\u00e9'), maxLength: 6 })
  const bytes = fc.uint8Array({ maxLength: 6, max: 0x32, min: 0x20 })
  fc.assert(
    fc.property(text, bytes, text, bytes, (typeA, a, typeB, b) => {
      const same = typeA === typeB && Buffer.compare(a, b) === 0
      assert.equal(Buffer.compare(pae(typeA, a), pae(typeB, b)) === 0, same)
    }),
    { seed: 1, numRuns: 2000 },
  )
})

test('a signed envelope verifies and names the pinned key', async () => {
  assert.deepEqual(await verifyEnvelope(signed, [bob.key, alice.key], TYPE), {
    status: 'VERIFIED',
    reason: 'ECDSA P-256 over the PAE verifies under a trusted key',
    keyid: alice.key.keyid,
  })
})

test('no signature is UNSIGNED, another payload type is MISMATCH even then', async () => {
  assert.equal(await statusOf({ ...signed, signatures: [] }), 'UNSIGNED')
  assert.equal(await statusOf({ ...signed, signatures: [] }, [alice.key], 'text/plain'), 'MISMATCH')
  assert.equal(await statusOf(signed, [alice.key], 'text/plain'), 'MISMATCH')
  assert.equal(await statusOf({ ...signed, payloadType: 'text/plain' }, [alice.key], 'text/plain'), 'MISMATCH')
})

test('a key that nobody pinned makes it UNAVAILABLE, whatever the keyid says', async () => {
  assert.equal(await statusOf(signed, []), 'UNAVAILABLE')
  assert.equal(await statusOf(signed, [bob.key]), 'UNAVAILABLE')
  assert.equal(await statusOf({ ...signed, signatures: [{ ...signatureOf(signed), keyid: '' }] }), 'UNAVAILABLE')
  const forged = await signEnvelope(TYPE, payload, async (message) => ({
    ...(await bob.sign(message)),
    keyid: alice.key.keyid,
  }))
  assert.deepEqual((await verifyEnvelope(forged, [alice.key, bob.key], TYPE)).keyid, alice.key.keyid)
  assert.equal(await statusOf(forged, [alice.key, bob.key]), 'MISMATCH')
})

test('one failing signature of a pinned key condemns the envelope, one of an unknown key does not', async () => {
  const byBob = await signEnvelope(TYPE, payload, bob.sign)
  const both = { ...signed, signatures: [...byBob.signatures, ...signed.signatures] }
  assert.equal(await statusOf(both, [alice.key, bob.key]), 'VERIFIED')
  const wrong = { sig: signatureOf(signed).sig, keyid: bob.key.keyid }
  for (const signatures of [
    [wrong, ...signed.signatures],
    [...signed.signatures, wrong],
  ]) {
    assert.equal(await statusOf({ ...signed, signatures }, [alice.key, bob.key]), 'MISMATCH')
    assert.equal(await statusOf({ ...signed, signatures }, [alice.key]), 'VERIFIED')
  }
})

test('anything that is no envelope is refused with its place and never thrown', async () => {
  const signature = signatureOf(signed)
  const cases: [unknown, (string | number)[]][] = [
    [null, []],
    ['text', []],
    [[signed], []],
    [{ ...signed, payloadType: 7 }, ['payloadType']],
    [{ ...signed, payloadType: '\ud800' }, ['payloadType']],
    [{ ...signed, payload: null }, ['payload']],
    [{ ...signed, payload: `${signed.payload}\n` }, ['payload']],
    [{ ...signed, payload: signed.payload.replace(/=+$/, '') }, ['payload']],
    [{ ...signed, signatures: {} }, ['signatures']],
    [{ ...signed, signatures: Array(17).fill(signature) }, ['signatures']],
    [{ ...signed, signatures: [signature, null] }, ['signatures', 1]],
    [{ ...signed, signatures: [{ sig: signature.sig }] }, ['signatures', 0, 'keyid']],
    [{ ...signed, signatures: [{ keyid: 'k' }] }, ['signatures', 0, 'sig']],
    [{ ...signed, signatures: [{ ...signature, alg: 'none' }] }, ['signatures', 0, 'alg']],
    [{ ...signed, alg: 'none' }, ['alg']],
    [JSON.parse(JSON.stringify(signed).replace('{', '{"__proto__":{},')), ['__proto__']],
    [{ ...signed, constructor: 1 }, ['constructor']],
    [{ ...signed, toString: 1 }, ['toString']],
  ]
  for (const [value, path] of cases) {
    const parsed = parseEnvelope(value)
    assert.ok(!parsed.ok, JSON.stringify(path))
    assert.deepEqual(parsed.path, path)
    assert.equal(await statusOf(value), 'MISMATCH')
  }
})

test('sixteen signatures are read', async () => {
  assert.equal(await statusOf({ ...signed, signatures: Array(16).fill(signatureOf(signed)) }), 'VERIFIED')
})

const annotations = {
  signed: true,
  keyid: alice.key.keyid,
  honesty: 'demo key',
  _dsse: 'DSSEv1',
  _pae_sha256: paeSha256Hex(TYPE, payload),
  pae_b64: base64Encode(pae(TYPE, payload)),
  read_only: false,
}

test('annotations of an export are read past, unless they contradict the envelope', async () => {
  assert.equal(await statusOf({ ...signed, ...annotations }), 'VERIFIED')
  const lies = { signed: false, keyid: bob.key.keyid, _pae_sha256: '0'.repeat(64), pae_b64: '' }
  for (const [name, value] of Object.entries(lies)) {
    const parsed = parseEnvelope({ ...signed, ...annotations, [name]: value })
    assert.deepEqual(parsed, { ok: false, reason: 'contradicts the envelope', path: [name] })
  }
  const unsigned = {
    payloadType: TYPE,
    payload: signed.payload,
    signatures: [],
    signed: false,
    keyid: null,
    _pae_sha256: null,
  }
  assert.equal(await statusOf(unsigned), 'UNSIGNED')
  assert.equal(await statusOf({ ...unsigned, signed: true }), 'MISMATCH')
})

test('parsing keeps the signed bytes and strips what is not signed', () => {
  const parsed = parseEnvelope({ ...signed, ...annotations })
  assert.ok(parsed.ok)
  assert.deepEqual(parsed.envelope, signed)
  assert.deepEqual(parsed.payload, payload)
})

/** What a verifier does with bytes from outside: strict JSON, then the envelope. Null when it is not even JSON. */
async function judge(text: Uint8Array): Promise<{ value: unknown; status: string } | null> {
  try {
    const value = parseStrictJson(text)
    return { value, status: await statusOf(value) }
  } catch (error) {
    assert.ok(error instanceof JsonError)
    return null
  }
}

test('no single changed byte of a signed envelope is ever VERIFIED', async () => {
  const text = new TextEncoder().encode(JSON.stringify(signed))
  assert.equal((await judge(text))?.status, 'VERIFIED')
  for (let at = 0; at < text.length; at++) {
    for (let bit = 1; bit < 256; bit <<= 1) {
      const changed = new Uint8Array(text)
      changed[at] = (changed[at] as number) ^ bit
      assert.notEqual((await judge(changed))?.status, 'VERIFIED', utf8Decode(changed) ?? `byte ${at}`)
    }
  }
})

test('whatever bytes are changed, added or dropped, VERIFIED means the same payload, type and signer', async () => {
  const text = new TextEncoder().encode(JSON.stringify({ ...signed, ...annotations }))
  const edit = fc.record({ at: fc.nat(text.length), drop: fc.nat(2), add: fc.uint8Array({ maxLength: 2 }) })
  let survived = 0
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 2 }), async (edits) => {
      const bytes = [...text]
      for (const { at, drop, add } of edits) bytes.splice(at, drop, ...add)
      const outcome = await judge(Uint8Array.from(bytes))
      if (outcome?.status !== 'VERIFIED') return
      const parsed = parseEnvelope(outcome.value)
      assert.ok(parsed.ok)
      assert.deepEqual(parsed.envelope, signed)
      survived++
    }),
    { seed: 2, numRuns: 5000 },
  )
  assert.ok(survived > 0, 'some edits must hit the words nobody signs, or this shows nothing')
})

test('every one-letter respelling of the base64 texts is refused', async () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_='
  const respell = (text: string, at: number, letter: string) => text.slice(0, at) + letter + text.slice(at + 1)
  const last = signed.payload.replace(/=+$/, '').length - 1
  for (const letter of letters) {
    const other = respell(signed.payload, last, letter)
    if (other !== signed.payload) assert.equal(await statusOf({ ...signed, payload: other }), 'MISMATCH')
    const { sig, keyid } = signatureOf(signed)
    const at = sig.replace(/=+$/, '').length - 1
    const otherSig = respell(sig, at, letter)
    if (otherSig !== sig)
      assert.equal(await statusOf({ ...signed, signatures: [{ sig: otherSig, keyid }] }), 'MISMATCH')
  }
})
