// Receives review notices: node webhook-receiver.mjs [PORT]. It refuses what is not signed with ORCH_WEBHOOK_SECRET, what
// was changed, and what is older than five minutes. Node 20 or later, no packages.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const WINDOW_SECONDS = 300
const MAX_BYTES = 64 * 1024
const secret = process.env.ORCH_WEBHOOK_SECRET
if (!secret) throw new Error('set ORCH_WEBHOOK_SECRET to the value the service has')

/** Over the bytes as they came: JSON that was parsed and written again is other bytes. */
function isOurs(header, body) {
  const [, seconds, hex] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? '') ?? []
  if (hex === undefined || Math.abs(Date.now() / 1000 - Number(seconds)) > WINDOW_SECONDS) return false
  const expected = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest()
  return timingSafeEqual(expected, Buffer.from(hex, 'hex'))
}

/** A notice whose answer was lost is sent again: one review is told of once. */
const seen = new Set()

const server = createServer(async (request, response) => {
  const parts = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size > MAX_BYTES) return response.writeHead(413).end()
    parts.push(part)
  }
  const body = Buffer.concat(parts)
  if (!isOurs(request.headers['x-orch-signature'], body)) return response.writeHead(401).end()
  response.writeHead(204).end()
  const { review_id, question, tool, agent, url, explanations } = JSON.parse(body)
  if (seen.has(review_id)) return
  seen.add(review_id)
  console.log(`${agent ?? 'somebody'} asks for ${tool ?? 'no registered tool'}: ${question}`)
  for (const { sentence } of explanations) console.log(`  ${sentence}`)
  console.log(`  ${url}`)
})
server.listen(Number(process.argv[2] ?? 18092), '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
