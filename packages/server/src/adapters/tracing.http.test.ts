import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startApp } from '../../../../scripts/testing/layer.ts'
import { LAYER_OPERATIONS } from '../../../../scripts/testing/layer-operations.ts'
import { dial, exchange, post, send, statuses } from '../../../../scripts/testing/raw-http.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

/** Takes what a real collector takes and keeps it. */
async function startCollector(t: { after(clean: () => void): void }) {
  const spans: SentSpan[] = []
  const seen: { authorization: string | undefined; url: string | undefined; text: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    seen.push({ authorization: request.headers.authorization, url: request.url, text })
    for (const resource of JSON.parse(text).resourceSpans)
      for (const scope of resource.scopeSpans) spans.push(...scope.spans)
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { spans, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a collector receives one server span per request: the template, never the path, and the caller as parent', async (t) => {
  const collector = await startCollector(t)
  const service = await startApp(t, {
    ORCH_OTLP_ENDPOINT: collector.url,
    ORCH_OTLP_HEADERS: 'authorization=planted-otlp-secret',
  })
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, authorization: 'Bearer planted-token' }
  const answer = await send(`${service.url}/api/orch/v1/layer/items/planted-id?planted=query`, { headers })
  await post(`${service.url}/api/orch/v1/layer/echo`, '{"note":"ab"}')
  await send(`${service.url}/planted/path`)
  await service.stop()
  assert.equal(collector.seen[0]?.url, '/v1/traces')
  assert.equal(collector.seen[0]?.authorization, 'planted-otlp-secret')
  assert.equal(collector.spans.length, 3)
  const attributes = (span: SentSpan) =>
    Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
  const [item, echo, nobody] = collector.spans as [SentSpan, SentSpan, SentSpan]
  assert.deepEqual(attributes(item), {
    'http.request.method': 'GET',
    'http.route': '/api/orch/v1/layer/items/:item_id',
    'url.scheme': 'http',
    'http.response.status_code': 200,
  })
  assert.equal(item.name, 'GET /api/orch/v1/layer/items/:item_id')
  assert.equal(item.kind, 2)
  assert.deepEqual([item.traceId, item.parentSpanId], [TRACE, SPAN])
  assert.equal(answer.headers.traceparent, `00-${TRACE}-${item.spanId}-01`)
  assert.equal(echo.parentSpanId ?? '', '')
  assert.equal(attributes(nobody)['http.route'], 'unmatched')
  for (const { text } of collector.seen) assert.doesNotMatch(text, /planted/)
})

test('a request the caller does not sample is not exported', async (t) => {
  const collector = await startCollector(t)
  const service = await startApp(t, { ORCH_OTLP_ENDPOINT: collector.url })
  await send(`${service.url}/api/livez`, { headers: { traceparent: `00-${TRACE}-${SPAN}-00` } })
  await service.stop()
  assert.equal(collector.spans.length, 0)
})

/** A collector that takes the connection and then says nothing, and one that is not there at all. */
for (const kind of ['silent', 'dead'] as const)
  test(`a ${kind} collector fails no request and does not keep the service from stopping`, async (t) => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    if (kind === 'dead') {
      server.close()
      const socket = await dial(port).catch(() => null)
      socket?.destroy()
    }
    const endpoint = { ORCH_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }
    const service = await startApp(t, endpoint, LAYER_OPERATIONS)
    // More than the queue holds: what cannot be sent is dropped, not waited for.
    const pipelined = 'GET /api/livez HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100)
    for (let round = 0; round < 22; round += 1) {
      const raw = await exchange(service.port, pipelined, (soFar) => statuses(soFar).length === 100)
      assert.deepEqual([...new Set(statuses(raw))], [200])
    }
    await service.stop()
  })
