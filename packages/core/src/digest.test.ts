import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { DigestEngine } from './digest.ts'
import { digestEngines, sha3_256, sha3_256Hex, sha256, sha256Hex } from './digest.ts'

const vectors = new URL('../../../../shared/vectors/sha3/SHA3_256ShortMsg.rsp', import.meta.url)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

function nistCases(): { message: Uint8Array; digest: string }[] {
  const text = readFileSync(vectors, 'utf8')
  return [...text.matchAll(/Len = (\d+)\s+Msg = ([0-9a-f]+)\s+MD = ([0-9a-f]{64})/g)].map(
    ([, bits, message, digest]) => ({
      message: new Uint8Array(Buffer.from(message as string, 'hex').subarray(0, Number(bits) / 8)),
      digest: digest as string,
    }),
  )
}

for (const [name, engine] of Object.entries(digestEngines) as [string, DigestEngine | null][]) {
  test(`the NIST SHA3-256 short messages hold on the ${name} engine`, (t) => {
    if (!existsSync(vectors)) return t.skip('SKIPPED: ../shared absent')
    assert.ok(engine, 'this Node must offer it')
    const cases = nistCases()
    assert.equal(cases.length, 137)
    for (const { message, digest } of cases) {
      assert.equal(engine.sha3_256Hex(message), digest)
      assert.equal(hex(engine.sha3_256(message)), digest)
    }
  })

  test(`the FIPS 180 examples of SHA-256 hold on the ${name} engine`, () => {
    assert.ok(engine)
    const abc = new TextEncoder().encode('abc')
    assert.equal(engine.sha256Hex(abc), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    const none = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    assert.equal(hex(engine.sha256(new Uint8Array(0))), none)
  })
}

test('the native engine answers as the pure one', () => {
  const { native, pure } = digestEngines
  assert.ok(native)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      assert.deepEqual(native.sha256(bytes), pure.sha256(bytes))
      assert.deepEqual(native.sha3_256(bytes), pure.sha3_256(bytes))
      assert.equal(native.sha256Hex(bytes), hex(pure.sha256(bytes)))
      assert.equal(native.sha3_256Hex(bytes), pure.sha3_256Hex(bytes))
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('a digest is a plain byte array, also of a view into a larger one', () => {
  const whole = Uint8Array.from([9, 97, 98, 99, 9])
  assert.equal(Object.getPrototypeOf(sha256(whole)), Uint8Array.prototype)
  assert.equal(hex(sha256(whole.subarray(1, 4))), sha256Hex('abc'))
  assert.equal(hex(sha3_256(whole.subarray(1, 4))), sha3_256Hex('abc'))
})

test('a text is hashed as UTF-8 and one without a UTF-8 form is misuse', () => {
  assert.equal(sha256Hex('\u00e9'), sha256Hex(Uint8Array.of(0xc3, 0xa9)))
  assert.throws(() => sha256Hex('\ud800'), RangeError)
})
