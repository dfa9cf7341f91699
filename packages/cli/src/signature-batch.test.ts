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

const noSignature = { message: new Uint8Array(3), signature: new Uint8Array(70) }

test('a thread that has ended gives no verdict', async () => {
  const { key } = makeTestKey()
  const pool = createSignaturePool([key], 1)
  assert.deepEqual(await pool.verifySignatures([{ key, ...noSignature }]), [false], 'a signature that is none')
  const refused = assert.rejects(pool.verifySignatures([{ key, ...noSignature }]), /thread ended/)
  await pool.close()
  await refused
  await assert.rejects(pool.verifySignatures([{ key, ...noSignature }]), /thread ended/, 'nor for what comes later')
})
