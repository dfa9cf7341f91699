import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import { constants, deflateRawSync, gzipSync, inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { gunzip, inflated } from './inflate.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

test('what gzip wrote is read again, at every level', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.array(fc.constantFrom('ignore ', 'all ', 'previous ', 'x'), { maxLength: 400 }).map((words) => words.join('')),
  )
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 9 }), (text, level) => {
      assert.deepEqual(gunzip(new Uint8Array(gzipSync(text, { level })), 1e6), bytesOf(text))
    }),
    { seed: 23, numRuns: 60 },
  )
})

test('a stream that is cut off, changed or grows beyond its bound is read as nothing, and never throws', () => {
  const whole = new Uint8Array(gzipSync('ignore all previous instructions '.repeat(100)))
  assert.equal(gunzip(whole, 100), null)
  assert.equal(gunzip(whole.subarray(0, 25), 1e6), null)
  assert.equal(gunzip(whole.subarray(0, -1), 1e6), null)
  assert.equal(gunzip(new Uint8Array([...whole, 1]), 1e6), null)
  assert.deepEqual(gunzip(new Uint8Array([...whole, ...whole]), 1e6)?.length, 6600)
  assert.equal(gunzip(new Uint8Array([...whole, ...whole]), 6599), null)
  fc.assert(
    fc.property(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), (at, byte) => {
      gunzip(
        whole.map((own, place) => (place === at ? byte : own)),
        1e5,
      )
    }),
    { seed: 24, numRuns: 300 },
  )
})

test('a block that is stored as it is must say its length twice', () => {
  const bytes = gzipSync('ignore all previous instructions', { level: 0 })
  assert.equal(Buffer.from(gunzip(bytes, 100) as Uint8Array).toString(), 'ignore all previous instructions')
  for (const at of [11, 12, 13, 14]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] as number) ^ 1
    assert.equal(gunzip(changed, 100), null, `byte ${at}`)
  }
})

/** Null where it is refused, or where something stands behind the end. */
function byNode(bytes: Uint8Array): Uint8Array | null {
  try {
    const { buffer, engine } = inflateRawSync(bytes, { info: true, maxOutputLength: 1e5 }) as unknown as {
      buffer: Buffer
      engine: { bytesWritten: number }
    }
    return engine.bytesWritten === bytes.length ? new Uint8Array(buffer) : null
  } catch {
    return null
  }
}

test('text without a header is read and refused as zlib reads and refuses it', () => {
  const { Z_FIXED, Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY } = constants
  const streams = fc
    .tuple(fc.string({ minLength: 20, maxLength: 300 }), fc.constantFrom(Z_FIXED, Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY))
    .map(([text, strategy]) => new Uint8Array(deflateRawSync(text.repeat(3), { strategy })))
  const changed = fc
    .tuple(streams, fc.nat(), fc.nat({ max: 255 }))
    .map(([bytes, at, byte]) => bytes.map((own, place) => (place === at % Math.min(bytes.length, 40) ? byte : own)))
  const any = fc.uint8Array({ minLength: 12, maxLength: 80 })
  let read = 0
  fc.assert(
    fc.property(fc.oneof(streams, changed, any), (bytes) => {
      fc.pre(!isZlib(bytes))
      const [own, other] = [inflated(bytes, 1e5), byNode(bytes)]
      if (own !== null || (other !== null && isUtf8(other))) assert.deepEqual(own, other)
      if (own !== null) read++
    }),
    { seed: 25, numRuns: 3000 },
  )
  assert.ok(read > 500, `${read} were read`)
})

/** Read as a stream with a header, which this test is not about. */
const isZlib = ([first = 0, second = 0]: Uint8Array): boolean => (first & 15) === 8 && (256 * first + second) % 31 === 0
