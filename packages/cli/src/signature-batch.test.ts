import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SignatureJob } from '@orch/core'
import fc from 'fast-check'
import { packJobs, unpackJobs } from './signature-batch.ts'
import { createSignaturePool } from './signature-pool.ts'
import { makeTestKey } from './testing/export-file.ts'

test('what is packed is unpacked, whatever the lengths', () => {
  const job = fc.record({
    number: fc.nat(9),
    message: fc.uint8Array({ maxLength: 70 }),
    signature: fc.uint8Array({ maxLength: 72 }),
  })
  fc.assert(
    fc.property(fc.array(job, { maxLength: 20 }), (jobs) => {
      const numbers = jobs.map(({ number }) => number)
      const block = packJobs(jobs as unknown as SignatureJob[], () => numbers.shift()!)
      const unpacked = unpackJobs(block).map(({ key, message, signature }) => ({
        number: key,
        message: [...message],
        signature: [...signature],
      }))
      const wanted = jobs.map(({ number, message, signature }) => ({
        number,
        message: [...message],
        signature: [...signature],
      }))
      assert.deepEqual(unpacked, wanted)
    }),
    { seed: 1 },
  )
})

test('a thread that dies gives no verdict', async () => {
  const { key } = makeTestKey()
  const pool = createSignaturePool([key], 1)
  const pending = pool.verifySignatures([{ key, message: new Uint8Array(3), signature: new Uint8Array(70) }])
  const [first] = await Promise.all([pending, Promise.resolve()])
  assert.deepEqual(first, [false], 'a signature that is none')
  const cut = pool.verifySignatures(
    Array.from({ length: 2000 }, () => ({ key, message: new Uint8Array(3), signature: new Uint8Array(70) })),
  )
  const refused = assert.rejects(cut, /thread ended/)
  await pool.close()
  await refused
})
