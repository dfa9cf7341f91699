// The Portkey gateway in this process, as its own program starts it, once it answers. It looks at nothing and records
// nothing: a request goes through it to the upstream that its headers name.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const free = createServer().listen(0, '127.0.0.1')
await once(free, 'listening')
const { port } = free.address() as AddressInfo
free.close()
await once(free, 'close')

const print = process.stdout.write.bind(process.stdout)
// Its banner is not the address that is waited for.
process.stdout.write = () => true
console.log = () => undefined
process.argv.push(`--port=${port}`, '--headless')
await import(new URL('./node_modules/@portkey-ai/gateway/build/start-server.js', import.meta.url).href)

const answers = async (): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
}
while (!(await answers())) await pause(100)
print(`http://127.0.0.1:${port}/v1/chat/completions\n`)
