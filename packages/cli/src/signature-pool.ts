// Exists for speed alone. Signature verification on every core: on two, `orch verify` of an export with 6,000 receipts took
// 2.2 s with it and 4.6 s and more without (`npm run bench -- --only verify-export` measures the first). A thread that fails
// takes the whole verification with it: no verdict is made up.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PublicKey, VerifySignatures } from '@orch/core'
import { compileCache } from './compile-cache.ts'
import { CHECKOUT } from './installation.ts'
import { packJobs } from './signature-batch.ts'

type SignaturePool = { verifySignatures: VerifySignatures; close(): Promise<void> }

type Waiting = { resolve: (verdicts: boolean[]) => void; reject: (error: Error) => void }
type Thread = { worker: Worker; waiting: Waiting[]; fail(error: Error): void; ended(): Error | undefined }

export function createSignaturePool(keys: readonly PublicKey[], size = availableParallelism()): SignaturePool {
  const numbers = new Map(keys.map((key, at) => [key.keyid, at]))
  const numberOf = (keyid: string): number => {
    const at = numbers.get(keyid)
    if (at === undefined) throw new RangeError('a signature names a key this pool was not given')
    return at
  }
  const spki = keys.map((key) => key.spki)
  const threads = Array.from({ length: size }, () => startThread(spki))
  return {
    verifySignatures(jobs) {
      const block = packJobs(jobs, ({ key }) => numberOf(key.keyid))
      const thread = threads.reduce((least, one) => (one.waiting.length < least.waiting.length ? one : least))
      const ended = thread.ended()
      if (ended !== undefined) return Promise.reject(ended)
      return new Promise((resolve, reject) => {
        thread.waiting.push({ resolve, reject })
        thread.worker.postMessage(block, [block])
      })
    },
    async close() {
      for (const { fail } of threads) fail(new Error('a signature thread ended before its answer'))
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

/** The built file is one file, which knows when it is a thread. */
const PROGRAM = new URL(CHECKOUT ? './signature-worker.ts' : import.meta.url, import.meta.url)

/** Answers come in the order of the questions. */
function startThread(spki: readonly Uint8Array[]): Thread {
  const worker = new Worker(PROGRAM, { workerData: { spki }, env: compileCache() })
  const waiting: Waiting[] = []
  worker.on('message', (verdicts: Uint8Array) => {
    waiting.shift()?.resolve(Array.from(verdicts, (verdict) => verdict === 1))
  })
  let ended: Error | undefined
  const fail = (error: Error) => {
    ended ??= error
    for (const one of waiting.splice(0)) one.reject(error)
  }
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`a signature thread ended with code ${code}`)))
  return { worker, waiting, fail, ended: () => ended }
}
