// The model behind both proxies: answers every chat at once, on a thread of its own, so that what is measured is the way.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { SERIAL } from '../serial.ts'

const ANSWER = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1,
  model: 'bench-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'The capital is Paris.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
})

export const CHAT = {
  model: 'bench-model',
  messages: [{ role: 'user', content: `What is the capital of France in edition ${SERIAL} of the atlas?` }],
}

export const startChatUpstream = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { name: 'upstream' })
    worker.once('error', reject)
    worker.once('message', (port) => {
      worker.unref()
      resolve(port)
    })
  })

if (!isMainThread) {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER))
  })
  // What stands still between its rounds finds its connections open: Node would close them after five seconds.
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
}
