// Reference: a proxy that looks at nothing. Bytes in, bytes out, kept connections to the same upstream.
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startChatUpstream } from './chat-upstream.ts'

const port = await startChatUpstream()
const agent = new Agent({ keepAlive: true })
const server = createServer((incoming, response) => {
  const { method, url: path, headers } = incoming
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  outgoing.on('error', () => response.destroy())
  incoming.pipe(outgoing)
})
server.listen(0, '127.0.0.1', () => {
  const { port: own } = server.address() as AddressInfo
  process.stdout.write(`http://127.0.0.1:${own}/v1/chat/completions\n`)
})
