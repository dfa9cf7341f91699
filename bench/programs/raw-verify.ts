// crypto.verify alone over the signatures of an export, on all cores. Prints the processor time of one
// by thread, and verifications/s.
import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { pae, RECEIPT_PAYLOAD_TYPE, readReceiptLine } from '@orch/core'
import { ownMeter } from '../thread-clocks.ts'

interface Job {
  messages: Uint8Array[]
  signatures: Uint8Array[]
  pem: string
}

if (isMainThread) {
  const file = process.argv[2]!
  const pem = readFileSync(`${file}.pem`, 'utf8')
  const cores = availableParallelism()
  const jobs: Job[] = Array.from({ length: cores }, () => ({ messages: [], signatures: [], pem }))
  let count = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const receipt = readReceiptLine(line)
    if (receipt?.signature == null) continue
    const job = jobs[count++ % cores]!
    job.messages.push(pae(RECEIPT_PAYLOAD_TYPE, receipt.body))
    job.signatures.push(receipt.signature)
  }
  const workers = jobs.map((job) => new Worker(new URL(import.meta.url), { workerData: job }))
  await Promise.all(workers.map((worker) => new Promise((ready) => worker.once('message', ready))))
  const threadTimes = ownMeter()
  const started = performance.now()
  await Promise.all(
    workers.map((worker) => {
      const done = new Promise((finished) => worker.once('message', finished))
      worker.postMessage('go')
      return done
    }),
  )
  const rate = (count / (performance.now() - started)) * 1_000
  const threads = threadTimes(count)
  process.stdout.write(`${threads}${rate}\n`)
  for (const worker of workers) await worker.terminate()
} else {
  const { messages, signatures, pem } = workerData as Job
  const key: KeyObject = createPublicKey(pem)
  parentPort!.postMessage('ready')
  // Not once: a thread that ends takes the clock of its processor time along.
  parentPort!.on('message', () => {
    for (const [at, message] of messages.entries())
      if (!verify('sha256', message, key, signatures[at]!)) throw new Error('a signature of the export does not verify')
    parentPort!.postMessage('done')
  })
}
