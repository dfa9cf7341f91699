// One thread of the signature pool: keys once, then blocks of jobs in and one byte per verdict out.
import { parentPort, workerData } from 'node:worker_threads'
// Not the whole of core: a thread would spend longer on reading it than on a thousand signatures.
import { importPublicKey, verifyP256Sync } from '@orch/core/p256'
import { unpackJobs } from './signature-batch.ts'

const keys = (workerData as { spki: Uint8Array[] }).spki.map((spki) => importPublicKey(spki))

parentPort?.on('message', (block: ArrayBuffer) => {
  const verdicts = Uint8Array.from(unpackJobs(block), ({ key, message, signature }) => {
    const pinned = keys[key]
    return pinned && verifyP256Sync(pinned, message, signature) ? 1 : 0
  })
  parentPort?.postMessage(verdicts, [verdicts.buffer])
})
