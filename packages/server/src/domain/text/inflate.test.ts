import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { gunzip } from './inflate.ts'

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
