import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { importPublicKey } from '@orch/core'
import { VerifiedSignatures } from './verified-signatures.ts'

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = importPublicKey(publicKey.export({ type: 'spki', format: 'pem' }) as string)!
  return { key, sign: (message: Uint8Array) => new Uint8Array(sign('sha256', message, privateKey)) }
}
const [ours, other] = [pair(), pair()]
const bytes = (text: string) => new TextEncoder().encode(text)
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** How often the bytes were asked for, which is how often something was verified. */
function asking(signatures: VerifiedSignatures) {
  const asked = { times: 0 }
  const holds = (text: string, signature: Uint8Array, key = ours.key) =>
    signatures.holds(
      key,
      digest(text),
      () => {
        asked.times += 1
        return bytes(text)
      },
      signature,
    )
  return { asked, holds }
}

test('what holds is verified once', () => {
  const { asked, holds } = asking(new VerifiedSignatures())
  const signature = ours.sign(bytes('a'))
  assert.deepEqual([holds('a', signature), holds('a', new Uint8Array(signature)), asked.times], [true, true, 1])
})

test('what does not hold is verified every time', () => {
  const { asked, holds } = asking(new VerifiedSignatures())
  const signature = ours.sign(bytes('b'))
  assert.deepEqual([holds('a', signature), holds('a', signature), asked.times], [false, false, 2])
})

test('another signature, another key and another text are not what was remembered', () => {
  const { holds } = asking(new VerifiedSignatures())
  const signature = ours.sign(bytes('a'))
  assert.ok(holds('a', signature))
  assert.equal(holds('a', signature.with(signature.length - 1, signature.at(-1)! ^ 1)), false)
  assert.equal(holds('a', other.sign(bytes('a'))), false)
  assert.equal(holds('a', signature, other.key), false)
  assert.equal(holds('b', signature), false)
  assert.ok(holds('a', ours.sign(bytes('a'))), 'a second true signature holds as well')
})

test('no more are kept than there is room for', () => {
  const { asked, holds } = asking(new VerifiedSignatures(2))
  const signed = ['a', 'b', 'c'].map((text) => [text, ours.sign(bytes(text))] as const)
  for (const [text, signature] of signed) assert.ok(holds(text, signature))
  assert.ok(holds(...signed[2]!))
  assert.equal(asked.times, 3)
  assert.ok(holds(...signed[0]!))
  assert.equal(asked.times, 4)
})
