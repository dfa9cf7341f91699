// Exists for the speed of `signature-pool.ts` alone. A batch of signature jobs as one block of bytes, so that handing it to a
// thread moves it instead of copying it.
// Layout, all numbers 32 bit: count, then per job key number, message length, signature length, then all bytes in order.
import type { SignatureJob } from '@orch/core'

type PackedJob = { key: number; message: Uint8Array; signature: Uint8Array }

export function packJobs(jobs: readonly SignatureJob[], keyNumber: (job: SignatureJob) => number): ArrayBuffer {
  const head = 1 + 3 * jobs.length
  const size = jobs.reduce((sum, { message, signature }) => sum + message.length + signature.length, 0)
  const block = new ArrayBuffer(4 * head + size)
  const numbers = new Uint32Array(block, 0, head)
  const bytes = new Uint8Array(block)
  numbers[0] = jobs.length
  let at = 4 * head
  jobs.forEach((job, i) => {
    numbers.set([keyNumber(job), job.message.length, job.signature.length], 1 + 3 * i)
    bytes.set(job.message, at)
    bytes.set(job.signature, at + job.message.length)
    at += job.message.length + job.signature.length
  })
  return block
}

export function unpackJobs(block: ArrayBuffer): PackedJob[] {
  const count = new Uint32Array(block, 0, 1)[0] as number
  const numbers = new Uint32Array(block, 4, 3 * count)
  const jobs: PackedJob[] = []
  let at = 4 + 12 * count
  for (let i = 0; i < count; i += 1) {
    const [key, messageSize, signatureSize] = numbers.subarray(3 * i) as unknown as [number, number, number]
    const message = new Uint8Array(block, at, messageSize)
    const signature = new Uint8Array(block, at + messageSize, signatureSize)
    jobs.push({ key, message, signature })
    at += messageSize + signatureSize
  }
  return jobs
}
