import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, createSign, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { derToRaw, pemEncode, pointToSpki, rawToDer, spkiToPoint } from './encoding.ts'
import { importPublicKey, isSignatureInRange, p256Engines, verifyP256, verifyP256Raw, verifyP256Sync } from './p256.ts'

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const spki = new Uint8Array(pair.publicKey.export({ format: 'der', type: 'spki' }))
const message = new TextEncoder().encode('one decision')
const signature = new Uint8Array(createSign('sha256').update(message).sign(pair.privateKey))
const key = importPublicKey(spki)
assert.ok(key)

const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const scalar = (n: bigint): Uint8Array => new Uint8Array(Buffer.from(n.toString(16).padStart(64, '0'), 'hex'))
const rawOf = (r: bigint, s: bigint): Uint8Array => Uint8Array.of(...scalar(r), ...scalar(s))
const refusesEverywhere = async (raw: Uint8Array): Promise<void> =>
  assert.equal(await verifyP256Raw(key, message, raw), false)

test('a key is known by the SHA-256 of its SPKI, from PEM as from DER', () => {
  assert.equal(key.keyid, createHash('sha256').update(spki).digest('hex'))
  assert.deepEqual(importPublicKey(String(pair.publicKey.export({ format: 'pem', type: 'spki' }))), key)
})

test('the imported key is a copy that its source cannot change', () => {
  const source = new Uint8Array(spki)
  const imported = importPublicKey(source)
  source.fill(0)
  assert.deepEqual(imported, key)
  assert.throws(() => Object.assign(key, { keyid: 'other' }), TypeError)
})

test('only an uncompressed P-256 point on the curve is a key', () => {
  const other = (options: object): Uint8Array =>
    new Uint8Array(
      generateKeyPairSync('ec', options as { namedCurve: string }).publicKey.export({ format: 'der', type: 'spki' }),
    )
  const offCurve = new Uint8Array(spki)
  offCurve[90] = (offCurve[90] as number) ^ 1
  const infinity = pointToSpki(Uint8Array.of(4, ...new Uint8Array(64)))
  const beyondField = pointToSpki(Uint8Array.of(4, ...new Uint8Array(64).fill(0xff)))
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'der', type: 'spki' })
  const compressed = Uint8Array.of(...spki.subarray(0, 26), 2, ...spki.subarray(27, 59))
  const refused = [
    offCurve,
    infinity,
    beyondField,
    compressed,
    new Uint8Array(rsa),
    other({ namedCurve: 'secp256k1' }),
    other({ namedCurve: 'P-384' }),
    Uint8Array.of(...spki, 0),
    spki.subarray(0, 90),
    new Uint8Array(0),
  ]
  for (const der of refused) assert.equal(importPublicKey(der), null)
  assert.equal(importPublicKey(pemEncode(spki, 'EC PUBLIC KEY')), null)
  assert.equal(importPublicKey('not a key'), null)
})

test('a signature verifies on every engine, and not for another message or key', async () => {
  const raw = derToRaw(signature)
  assert.ok(raw)
  const other = importPublicKey(
    new Uint8Array(
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' }),
    ),
  )
  assert.ok(other)
  const changed = new TextEncoder().encode('one decisioN')
  for (const engine of Object.values(p256Engines)) {
    assert.ok(engine)
    assert.equal(await engine(key, message, raw), true)
    assert.equal(await engine(key, changed, raw), false)
    assert.equal(await engine(other, message, raw), false)
  }
})

test('(r, n-s) verifies as well, so signature bytes are no identity', async () => {
  const raw = derToRaw(signature) as Uint8Array
  const s = BigInt(`0x${Buffer.from(raw.subarray(32)).toString('hex')}`)
  const duplicate = Uint8Array.of(...raw.subarray(0, 32), ...scalar(N - s))
  assert.equal(await verifyP256Raw(key, message, duplicate), true)
  assert.equal(verifyP256Sync(key, message, rawToDer(duplicate)), true)
})

test('r and s are in 1..n-1 before any engine sees them', async () => {
  for (const bad of [0n, N, N + 1n, 2n ** 256n - 1n]) {
    assert.equal(isSignatureInRange(rawOf(bad, 1n)), false)
    assert.equal(isSignatureInRange(rawOf(1n, bad)), false)
    await refusesEverywhere(rawOf(bad, bad))
  }
  assert.equal(isSignatureInRange(rawOf(1n, N - 1n)), true)
  for (const size of [0, 63, 65, 128]) await refusesEverywhere(new Uint8Array(size).fill(1))
})

test('no byte of a DER signature can change, be added or be dropped', async () => {
  assert.equal(await verifyP256(key, message, signature), true)
  for (let at = 0; at < signature.length; at++) {
    for (let bit = 1; bit < 256; bit <<= 1) {
      const flipped = new Uint8Array(signature)
      flipped[at] = (flipped[at] as number) ^ bit
      assert.equal(verifyP256Sync(key, message, flipped), false, `byte ${at}, bit ${bit}`)
    }
    const dropped = Uint8Array.of(...signature.subarray(0, at), ...signature.subarray(at + 1))
    assert.equal(verifyP256Sync(key, message, dropped), false)
    const added = Uint8Array.of(...signature.subarray(0, at), 0, ...signature.subarray(at))
    assert.equal(verifyP256Sync(key, message, added), false)
  }
  assert.equal(verifyP256Sync(key, message, Uint8Array.of(...signature, 0)), false)
})

test('every pair of integers has one DER form and BER forms of it are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 64, maxLength: 64 }), fc.nat(31), (raw, zeros) => {
      raw.fill(0, 0, zeros)
      assert.deepEqual(derToRaw(rawToDer(raw)), raw)
    }),
    { seed: 1, numRuns: 500 },
  )
  const refused = [
    '30810602010102010100',
    '3081060201010201',
    '308106020101020101',
    '30080202000102020001',
    '3006020181020101',
    '3006020101020181',
    '30060201010201017f',
    '30800201010201010000',
    '3006028101010201',
    '3005020102',
    '300602000201010101',
    '3106020101020101',
    '3006030101020101',
  ]
  for (const hex of refused) assert.equal(derToRaw(new Uint8Array(Buffer.from(hex, 'hex'))), null, hex)
  assert.deepEqual(derToRaw(new Uint8Array(Buffer.from('3006020101020101', 'hex'))), rawOf(1n, 1n))
  assert.throws(() => rawToDer(new Uint8Array(63)), RangeError)
})

test('any bytes that parse as DER are the ones their integers encode to', () => {
  const nearly = fc.tuple(fc.nat(7), fc.nat(255)).map(([at, value]) => {
    const der = Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1)
    der[at] = value
    return der
  })
  fc.assert(
    fc.property(fc.oneof(nearly, fc.uint8Array({ maxLength: 80 })), (der) => {
      const raw = derToRaw(der)
      if (raw !== null) assert.deepEqual(rawToDer(raw), der)
    }),
    { seed: 2, numRuns: 2000 },
  )
})

test('the point of an SPKI goes back into the same SPKI', () => {
  assert.deepEqual(pointToSpki(spkiToPoint(spki) as Uint8Array), spki)
  for (let at = 0; at < 27; at++) {
    const changed = new Uint8Array(spki)
    changed[at] = (changed[at] as number) ^ 1
    assert.equal(spkiToPoint(changed), null, `byte ${at}`)
  }
  assert.throws(() => pointToSpki(new Uint8Array(65)), RangeError)
})

const BARE_HOST = `
delete globalThis.process.getBuiltinModule
Object.getPrototypeOf(globalThis.process).getBuiltinModule = undefined
Object.defineProperty(globalThis, 'crypto', { value: undefined })
for (const name of ['fromBase64', 'fromHex']) delete Uint8Array[name]
for (const name of ['toBase64', 'toHex']) delete Uint8Array.prototype[name]
const { p256Engines, importPublicKey, verifyP256, verifyP256Sync } = await import(process.argv[1])
const { digestEngines } = await import(process.argv[2])
const { base64Decode, textCodecs } = await import(process.argv[3])
const [pem, message, good, bad] = process.argv.slice(4)
const key = importPublicKey(pem)
const verdicts = []
for (const sig of [good, bad]) {
  verdicts.push(await verifyP256(key, base64Decode(message), base64Decode(sig)))
  verdicts.push(verifyP256Sync(key, base64Decode(message), base64Decode(sig)))
}
const absent = [p256Engines.native, p256Engines.webCrypto, digestEngines.native, textCodecs.native]
console.log(JSON.stringify({ keyid: key.keyid, verdicts, absent }))
`

test('a host without native code, WebCrypto or base64 gives the same answers', () => {
  const modules = ['p256', 'digest', 'encoding'].map((name) => new URL(`./${name}.ts`, import.meta.url).href)
  const bad = new Uint8Array(signature)
  bad[40] = (bad[40] as number) ^ 1
  const texts = [message, signature, bad].map((bytes) => Buffer.from(bytes).toString('base64'))
  const values = [...modules, pemEncode(spki, 'PUBLIC KEY'), ...texts]
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', BARE_HOST, '--', ...values])
  assert.equal(child.status, 0, String(child.stderr))
  assert.deepEqual(JSON.parse(String(child.stdout)), {
    keyid: key.keyid,
    verdicts: [true, true, false, false],
    absent: [null, null, null, null],
  })
})
