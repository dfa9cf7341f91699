import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ed25519 } from '@noble/curves/ed25519.js'
import fc from 'fast-check'
import {
  formatCheckpoint,
  formatVkey,
  type NoteSigner,
  noteKeyHash,
  parseCheckpoint,
  parseNote,
  parseVkey,
  signNote,
  verifyCheckpoint,
  verifyEd25519,
} from './checkpoint.ts'
import { emptyRoot } from './merkle.ts'

// The published example of golang.org/x/mod/sumdb/note: a key pair known to everybody, and two signatures.
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const PETER_SEED = 'gQoUAtUUbI2E8kQzMPVAgOv5juF9nHT2JS/F1ccoMXM='
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop'
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const PETER_LINE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n'
const ENOCH_LINE =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n'

// A checkpoint that the Go checksum database served in public.
const SUMDB = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8'
const SUMDB_NOTE =
  'go.sum database tree\n6476701\nmb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk=\n\n' +
  '— sum.golang.org Az3grsLX85Gz+s1SiTbgkuqxgItqFq7gsMUEyVnrsa9LM7Us9S+1xbFIGu95949rj4nPRYfvimWEPWL+o3GeoWwOoAw=\n'

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))
function signer(name: string, seed: Uint8Array): NoteSigner & { vkey: string } {
  const publicKey = ed25519.getPublicKey(seed)
  return {
    name,
    keyHash: noteKeyHash(name, publicKey),
    sign: (text) => ed25519.sign(text, seed),
    vkey: formatVkey(name, publicKey),
  }
}
const peter = signer('PeterNeumann', bytesOf(PETER_SEED))
const log = signer('orch.example/log', new Uint8Array(32).fill(1))
const witness = signer('witness.example/w', new Uint8Array(32).fill(2))
const body = formatCheckpoint({ origin: 'orch.example/log', size: 0, root: emptyRoot() })

test('signing with the published key gives the published note, byte for byte', async () => {
  assert.equal(peter.vkey, PETER)
  assert.equal(await signNote(TEXT, peter), `${TEXT}\n${PETER_LINE}`)
})

test('both published signatures verify over the note text', async () => {
  const note = parseNote(`${TEXT}\n${PETER_LINE}${ENOCH_LINE}`)!
  assert.equal(note.text, TEXT)
  for (const [i, vkey] of [PETER, ENOCH].entries()) {
    const [key, line] = [parseVkey(vkey)!, note.signatures[i]!]
    assert.deepEqual([line.name, line.keyHash], [key.name, key.keyHash])
    assert.ok(await verifyEd25519(key.publicKey, new TextEncoder().encode(TEXT), line.signature))
  }
})

test('a checkpoint of the Go checksum database verifies', async () => {
  const report = await verifyCheckpoint(SUMDB_NOTE, [SUMDB], 'go.sum database tree')
  assert.deepEqual(report, {
    ok: true,
    reason: 'verified',
    signedBy: ['sum.golang.org'],
    checkpoint: {
      origin: 'go.sum database tree',
      size: 6476701,
      root: bytesOf('mb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk='),
      extensions: [],
    },
  })
  const bytes = new TextEncoder().encode(SUMDB_NOTE)
  assert.deepEqual(await verifyCheckpoint(bytes, [SUMDB]), report)
})

test('every changed byte of a signed checkpoint is refused', async () => {
  const bytes = new TextEncoder().encode(SUMDB_NOTE)
  for (const at of bytes.keys()) {
    const forged = new Uint8Array(bytes)
    forged[at] = forged[at]! ^ 1
    const report = await verifyCheckpoint(forged, [SUMDB])
    assert.deepEqual([report.ok, report.checkpoint, report.signedBy], [false, undefined, []], `byte ${at}`)
  }
})

test('the pure verifier gives the same verdicts as the platform', async () => {
  const note = parseNote(SUMDB_NOTE)!
  const { publicKey } = parseVkey(SUMDB)!
  const message = new TextEncoder().encode(note.text)
  const good = note.signatures[0]!.signature
  // S + L is the second spelling of the same signature that RFC 8032 forbids.
  const order = 2n ** 252n + 27742317777372353535851937790883648493n
  const malleable = new Uint8Array(good)
  let s = good.slice(32).reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) + order
  for (let i = 32; i < 64; i += 1, s /= 256n) malleable[i] = Number(s % 256n)
  const cases = [
    good,
    malleable,
    good.with(0, good[0]! ^ 1),
    good.with(63, good[63]! ^ 1),
    good.slice(1),
    new Uint8Array(64),
  ]
  const verdicts = (): Promise<boolean[]> =>
    Promise.all(cases.map((signature) => verifyEd25519(publicKey, message, signature)))
  const platform = await verdicts()
  const pure = await withoutWebCrypto(verdicts)
  assert.deepEqual(platform, [true, false, false, false, false, false])
  assert.deepEqual(pure, platform)
})

async function withoutWebCrypto<T>(run: () => Promise<T>): Promise<T> {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, 'crypto')!
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true })
  try {
    return await run()
  } finally {
    Object.defineProperty(globalThis, 'crypto', descriptor)
  }
}

test('a checkpoint body has the golden form', () => {
  assert.equal(body, 'orch.example/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n')
  const extended = formatCheckpoint({
    origin: 'o',
    size: 9007199254740991,
    root: emptyRoot(),
    extensions: ['a', 'b c'],
  })
  assert.equal(extended, 'o\n9007199254740991\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\na\nb c\n')
  assert.deepEqual(parseCheckpoint(extended)?.extensions, ['a', 'b c'])
})

test('a signed checkpoint has the golden form', async () => {
  assert.equal(log.vkey, 'orch.example/log+fd923aed+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c')
  assert.equal(
    await signNote(body, log),
    `${body}\n— orch.example/log /ZI67VmnXnq1Ce+j5X0vVl1bDZAQv2OzqrwQqxiqWNSPHtlWra6NF29pwsOP2rjsXAM3FtdiOQ7Usen03iUzgpUapAM=\n`,
  )
})

test('a body that would not read back as it was written is misuse', () => {
  const good = { origin: 'o', size: 1, root: emptyRoot() }
  const bad = [
    { ...good, origin: '' },
    { ...good, origin: 'o\n5' },
    { ...good, origin: 'o\t' },
    { ...good, origin: '\ud800' },
    { ...good, size: -1 },
    { ...good, size: 1.5 },
    { ...good, size: 2 ** 53 },
    { ...good, root: emptyRoot().slice(1) },
    { ...good, extensions: [''] },
    { ...good, extensions: ['a\nb'] },
  ]
  for (const checkpoint of bad) assert.throws(() => formatCheckpoint(checkpoint), TypeError, JSON.stringify(checkpoint))
})

test('a checkpoint body with a second spelling is refused', () => {
  const root = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
  const bad = [
    '',
    'o\n1\n',
    `o\n1\n${root}`,
    `\n1\n${root}\n`,
    `o\n01\n${root}\n`,
    `o\n+1\n${root}\n`,
    `o\n1.0\n${root}\n`,
    `o\n1e3\n${root}\n`,
    `o\n9007199254740992\n${root}\n`,
    `o\n99999999999999999999\n${root}\n`,
    `o\n \n${root}\n`,
    `o\n1\n${root.slice(0, -1)}\n`,
    `o\n1\n${root.replace('U=', 'V=')}\n`,
    `o\n1\n${root} \n`,
    `o\n1\n${root.slice(0, 40)}\n`,
    `o\n1\n${root}\n\n`,
    `o\n1\n${root}\n\nx\n`,
  ]
  for (const text of bad) assert.equal(parseCheckpoint(text), null, JSON.stringify(text))
})

test('a note in any other shape is refused', () => {
  const bad = [
    '',
    TEXT,
    `${TEXT}\n`,
    `${TEXT}\n${PETER_LINE.slice(0, -1)}`,
    `\u0001${TEXT}\n${PETER_LINE}`,
    `${TEXT}\r\n${PETER_LINE}`,
    `${TEXT}\t\n\n${PETER_LINE}`,
    `${TEXT}\ud800\n\n${PETER_LINE}`,
    `${TEXT}\n${PETER_LINE}Unexpected line.\n`,
    `${TEXT}\n${PETER_LINE}\n`,
    `${TEXT}\n${PETER_LINE.replace('—', '-')}`,
    `${TEXT}\n${PETER_LINE.replace('— ', '—')}`,
    `${TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad Name')}`,
    `${TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad+Name')}`,
    `${TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad\u00a0Name')}`,
    `${TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad\u0085Name')}`,
    `${TEXT}\n${PETER_LINE.replace('PeterNeumann ', '')}`,
    `${TEXT}\n${PETER_LINE.replace('AM=', 'AN=')}`,
    `${TEXT}\n— PeterNeumann x08gow==\n`,
    `${TEXT}\n${PETER_LINE.repeat(101)}`,
    `${'x'.repeat(1_000_000)}\n\n${PETER_LINE}`,
    `${'é'.repeat(600_000)}\n\n${PETER_LINE}`,
  ]
  for (const note of bad) assert.equal(parseNote(note), null, JSON.stringify(note.slice(-150)))
  const notUtf8 = new Uint8Array([0xff, ...new TextEncoder().encode(`${TEXT}\n${PETER_LINE}`)])
  assert.equal(parseNote(notUtf8), null)
  assert.equal(parseNote(`${TEXT}\n${PETER_LINE.repeat(100)}`)?.signatures.length, 100)
})

test('a byte order mark is part of the text and breaks the signature', async () => {
  const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode(SUMDB_NOTE)])
  assert.equal((await verifyCheckpoint(marked, [SUMDB])).reason, 'invalid_signature')
})

test('the text may hold blank lines: the last one separates', () => {
  const note = parseNote(`a\n\nb\n\n${PETER_LINE}`)!
  assert.equal(note.text, 'a\n\nb\n')
})

test('no part, no change and no other type of the published key is a key', () => {
  for (let i = 0; i <= PETER.length; i += 1) {
    for (let j = i + 1; j <= PETER.length; j += 1) {
      if (i > 0 || j < PETER.length) assert.equal(parseVkey(PETER.slice(i, j)), null)
    }
  }
  for (const i of Array(PETER.length).keys()) {
    const next = String.fromCharCode(PETER.charCodeAt(i) + 1)
    assert.equal(parseVkey(PETER.slice(0, i) + next + PETER.slice(i + 1)), null)
  }
  assert.equal(parseVkey('PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=='), null)
  assert.equal(parseVkey('PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'), null)
  assert.equal(parseVkey(PETER.replace('c74f20a3', 'C74F20A3')), null)
})

test('a verifier key is printed and parsed back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.stringMatching(/^[a-z./-]{1,20}$/), (key, name) => {
      assert.deepEqual(parseVkey(formatVkey(name, key)), { name, keyHash: noteKeyHash(name, key), publicKey: key })
    }),
    { seed: 5 },
  )
  assert.throws(() => formatVkey('a b', new Uint8Array(32)), TypeError)
  assert.throws(() => formatVkey('a+b', new Uint8Array(32)), TypeError)
  assert.throws(() => formatVkey('', new Uint8Array(32)), TypeError)
  assert.throws(() => formatVkey('a', new Uint8Array(31)), TypeError)
})

test('unknown signatures are ignored, and none known is a refusal', async () => {
  const note = await signNote(body, log, witness)
  assert.deepEqual((await verifyCheckpoint(note, [log.vkey])).signedBy, [log.name])
  assert.deepEqual((await verifyCheckpoint(note, [log.vkey, witness.vkey])).signedBy, [log.name, witness.name])
  assert.equal((await verifyCheckpoint(note, [PETER])).reason, 'no_known_signature')
  assert.equal((await verifyCheckpoint(note, [])).reason, 'no_known_signature')
})

test('one bad signature by a pinned key refuses the note, even beside a good one', async () => {
  const liar = { ...witness, sign: () => new Uint8Array(64) }
  const note = await signNote(body, log, liar)
  assert.equal((await verifyCheckpoint(note, [log.vkey, witness.vkey])).reason, 'invalid_signature')
  assert.equal((await verifyCheckpoint(note, [log.vkey])).ok, true)
  const twice = await signNote(body, log, { ...log, sign: () => new Uint8Array(64) })
  assert.equal((await verifyCheckpoint(twice, [log.vkey])).reason, 'invalid_signature')
})

test('a signature under the name and key hash of another key does not verify', async () => {
  const impostor = { ...witness, name: log.name, keyHash: log.keyHash }
  assert.equal((await verifyCheckpoint(await signNote(body, impostor), [log.vkey])).reason, 'invalid_signature')
  const renamed = { ...log, keyHash: witness.keyHash }
  assert.equal((await verifyCheckpoint(await signNote(body, renamed), [log.vkey])).reason, 'no_known_signature')
})

test('a signed note that is no checkpoint, another origin and a broken key are told apart', async () => {
  assert.equal((await verifyCheckpoint('nothing', [PETER])).reason, 'malformed_note')
  assert.equal((await verifyCheckpoint(`${TEXT}\n${PETER_LINE}`, [PETER])).reason, 'malformed_checkpoint')
  const note = await signNote(body, log)
  assert.equal((await verifyCheckpoint(note, [log.vkey], 'other.example/log')).reason, 'origin_mismatch')
  assert.equal((await verifyCheckpoint(note, [log.vkey], 'orch.example/log')).ok, true)
  assert.equal((await verifyCheckpoint(note, [log.vkey, 'nonsense'])).reason, 'malformed_key')
  assert.equal((await verifyCheckpoint(note, [log.vkey, log.vkey])).ok, true)
})

test('two pinned keys that share name and key hash are refused, not tried in turn', async () => {
  // Found by counting: key hashes have 32 bits, so collisions are cheap.
  const [first, second] = [18_977, 26_984].map((n) => {
    const key = new Uint8Array(32)
    new DataView(key.buffer).setUint32(0, n)
    return key
  }) as [Uint8Array, Uint8Array]
  assert.equal(noteKeyHash(log.name, first), noteKeyHash(log.name, second))
  const vkeys = [formatVkey(log.name, first), formatVkey(log.name, second)]
  assert.equal((await verifyCheckpoint(await signNote(body, log), vkeys)).reason, 'ambiguous_key')
})

test('a signer or text that cannot make a note is misuse', async () => {
  await assert.rejects(signNote('no newline', log), TypeError)
  await assert.rejects(signNote('tab\t\n', log), TypeError)
  await assert.rejects(signNote(body), TypeError)
  await assert.rejects(signNote(body, { ...log, name: 'a b' }), TypeError)
  await assert.rejects(signNote(body, { ...log, sign: () => new Uint8Array(63) }), TypeError)
  await assert.rejects(signNote('x'.repeat(1_000_000).concat('\n'), log), TypeError)
})

test('any bytes at all end in a report', async () => {
  const noise = fc.oneof(fc.uint8Array(), fc.string({ unit: 'binary' }))
  await fc.assert(
    fc.asyncProperty(noise, async (input) => assert.equal((await verifyCheckpoint(input, [PETER])).ok, false)),
    { seed: 6 },
  )
})
