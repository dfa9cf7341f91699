/** Keeps one client from holding all sockets, idle ones above all: behind the last free one everybody else waits. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientKey } from './rate-limit.ts'

interface Client {
  open: number
  /** Without a request in flight, the one that has been so longest first. What is still sending its headers is idle. */
  idle: Set<Socket>
}

/** At most `max` connections of one client. Where it opens one more, its longest idle one makes room; where all are at
 *  work, the new one is closed. A client is the address that connects: behind a proxy that is the proxy. */
export function capConnections(server: Server, max: number): void {
  const clients = new Map<string, Client>()
  const connections = new WeakMap<Socket, { client: Client; inFlight: number }>()
  server.on('connection', (socket: Socket) => {
    const key = clientKey(socket.remoteAddress ?? '')
    const client = clients.get(key) ?? { open: 0, idle: new Set() }
    if (client.open >= max && !closeLongestIdle(client)) return void socket.destroy()
    clients.set(key, client)
    connections.set(socket, { client, inFlight: 0 })
    client.open += 1
    client.idle.add(socket)
    socket.once('close', () => {
      client.open -= 1
      client.idle.delete(socket)
      if (client.open === 0 && clients.get(key) === client) clients.delete(key)
    })
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    const { idle } = connection.client
    connection.inFlight += 1
    idle.delete(socket)
    // Requests may come in a pipe: the last one that is answered leaves the connection idle.
    response.once('close', () => {
      connection.inFlight -= 1
      if (connection.inFlight === 0 && !socket.destroyed) idle.add(socket)
    })
  })
}

function closeLongestIdle({ idle }: Client): boolean {
  const [socket] = idle
  if (socket === undefined) return false
  idle.delete(socket)
  socket.destroy()
  return true
}
