import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { formatCheckpoint, formatVkey, parseNote, signNote, verifyCheckpoint } from './checkpoint.ts'
import { emptyRoot } from './merkle.ts'
import {
  cosign,
  formatAddCheckpoint,
  formatWitnessKey,
  isCosigned,
  parseAddCheckpoint,
  parseWitnessKey,
} from './witness.ts'

function key() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'))
  return { raw, sign: (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey)) }
}

const log = key()
const witness = key()
const vkey = formatVkey('log.test', log.raw)
const witnessKey = formatWitnessKey('witness.test', witness.raw)
const text = formatCheckpoint({ origin: 'log.test', size: 7, root: emptyRoot() })
const note = await signNote(text, {
  name: 'log.test',
  keyHash: Number.parseInt(vkey.split('+')[1]!, 16),
  sign: log.sign,
})
const line = await cosign(text, parseWitnessKey(witnessKey)!, 1_700_000_000, witness.sign)

test('the published example of a request is read, and written back byte for byte', () => {
  const hash = Buffer.alloc(32, 7).toString('base64')
  const request = `old 20852014\n${hash}\n${hash}\n\n${note}`
  const parsed = parseAddCheckpoint(request)
  assert.equal(parsed?.old, 20_852_014)
  assert.equal(parsed.proof.length, 2)
  assert.equal(parsed.checkpoint, note)
  assert.equal(formatAddCheckpoint(parsed), request)
  assert.equal(formatAddCheckpoint({ old: 0, proof: [], checkpoint: note }), `old 0\n\n${note}`)
})

test('a request in any other form is none', () => {
  const hash = Buffer.alloc(32, 7).toString('base64')
  const short = Buffer.alloc(31, 7).toString('base64')
  const bodies = [
    '',
    'old 1',
    `old 01\n\n${note}`,
    `old -1\n\n${note}`,
    `new 1\n\n${note}`,
    `old 1\n${short}\n\n${note}`,
  ]
  for (const body of [...bodies, `old 1\n${`${hash}\n`.repeat(64)}\n${note}`, `old 99999999999999999\n\n${note}`])
    assert.equal(parseAddCheckpoint(body), null, body.slice(0, 40))
  assert.equal(parseAddCheckpoint(`old 1\n${`${hash}\n`.repeat(63)}\n${note}`)?.proof.length, 63)
})

test('a cosignature verifies under the key of its witness, over this text and this time alone', async () => {
  assert.equal(await isCosigned(note + line, witnessKey), true)
  assert.equal((await verifyCheckpoint(note + line, [vkey])).ok, true, 'the log’s own signature stands beside it')
  assert.equal(await isCosigned(note, witnessKey), false)
  assert.equal(await isCosigned(note + line, formatWitnessKey('witness.test', key().raw)), false)
  assert.equal(await isCosigned((note + line).replace('\n7\n', '\n8\n'), witnessKey), false)
  const blob = Buffer.from(parseNote(note + line)!.signatures[1]!.signature)
  blob[7]! ^= 1
  const later = line.replace(/[^ ]+\n$/, '')
  const forged = `${later}${Buffer.concat([Buffer.from(line.split(' ')[2]!, 'base64').subarray(0, 4), blob]).toString('base64')}\n`
  assert.equal(await isCosigned(note + forged, witnessKey), false)
})

test('the key of a witness is none of a log, and the other way round', () => {
  assert.equal(parseWitnessKey(vkey), null)
  assert.equal(parseWitnessKey(witnessKey)?.name, 'witness.test')
})
