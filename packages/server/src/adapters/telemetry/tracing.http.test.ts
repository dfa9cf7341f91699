import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { LAYER_OPERATIONS } from '#testing/layer-operations.ts'
import { attributesOf, onlySpan, type SentSpan, startCollector } from '#testing/otlp-collector.ts'
import { dial, exchange, post, send, statuses } from '#testing/raw-http.ts'
import { startStubUpstream } from '#testing/stub-upstream.ts'
import { createTracing } from './tracing.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'

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
  const [item, echo, anonymous] = collector.spans as [SentSpan, SentSpan, SentSpan]
  assert.deepEqual(attributesOf(item), {
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
  assert.equal(attributesOf(anonymous)['http.route'], 'unmatched')
  for (const { text } of collector.seen) assert.doesNotMatch(text, /planted/)
})

test('the spans of one governed decision hang under its request and name the receipt it left', async (t) => {
  const collector = await startCollector(t)
  const service = await startApp(t, { ORCH_OTLP_ENDPOINT: collector.url, ORCH_STORE: 'memory' }, [])
  const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, 'content-type': 'application/json' }
  const body = JSON.stringify({ text: 'planted-text of a caller', session_id: 'planted-session' })
  const { json } = await post(`${service.url}/api/orch/v1/wow/govern`, body, headers)
  await service.stop()
  assert.deepEqual([...new Set(collector.spans.map(({ traceId }) => traceId))], [TRACE])
  const request = collector.spans.find(({ kind }) => kind === 2)!
  const append = onlySpan(collector.spans, 'ledger.append')
  const parents = Object.fromEntries(
    ['gate', 'policy', 'signer'].map((name) => [name, onlySpan(collector.spans, name).parentSpanId]),
  )
  assert.deepEqual([request.parentSpanId, append.parentSpanId], [SPAN, request.spanId])
  assert.deepEqual(parents, { gate: request.spanId, policy: request.spanId, signer: append.spanId })
  const stores = collector.spans.filter(({ name }) => name === 'store').map(({ parentSpanId }) => parentSpanId)
  // The budget is read for the request, the receipt is written for the append.
  assert.deepEqual(new Set(stores), new Set([request.spanId, append.spanId]))
  assert.match(json.receipt.digest, /^[0-9a-f]{64}$/)
  for (const span of [request, append]) assert.equal(attributesOf(span)['orch.receipt'], json.receipt.digest)
  for (const { startTimeUnixNano, endTimeUnixNano } of collector.spans)
    assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano))
  for (const { text } of collector.seen) assert.doesNotMatch(text, /planted/)
})

test('a call to a model is a span of its request, named by the target and by nothing that was said', async (t) => {
  const collector = await startCollector(t)
  const upstream = await startStubUpstream(t)
  const env = { ORCH_OTLP_ENDPOINT: collector.url, ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: upstream.url }
  const service = await startApp(t, { ...env, ORCH_UPSTREAM_MODEL: 'stub-model', ORCH_UPSTREAM_KEY: 'planted-key' }, [])
  const messages = [{ role: 'user', content: 'planted prompt' }]
  const reply = await post(`${service.url}/v1/chat/completions`, JSON.stringify({ model: 'stub-model', messages }))
  assert.equal(reply.status, 200, reply.text)
  await service.stop()
  const call = onlySpan(collector.spans, 'upstream')
  const request = collector.spans.find(({ kind }) => kind === 2)!
  assert.equal(call.parentSpanId, request.spanId)
  assert.deepEqual(Object.keys(attributesOf(call)), ['orch.provider'])
  for (const { text } of collector.seen) assert.doesNotMatch(text, /planted/)
})

test('a full queue drops spans and counts them, and a collector that refuses is counted too', async (t) => {
  const collector = await startCollector(t)
  collector.answer(400)
  const service = await startApp(t, { ORCH_OTLP_ENDPOINT: collector.url, ORCH_STORE: 'memory' }, [])
  const pipelined = 'GET /api/livez HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(100)
  for (let round = 0; round < 40; round += 1)
    await exchange(service.port, pipelined, (soFar) => statuses(soFar).length === 100)
  const { telemetry } = service.app.ports
  await service.stop()
  const { exported, failed, dropped, lastErrorCode } = telemetry.exporter()
  const { started, ended } = telemetry.counts()
  assert.equal(exported, 0)
  assert.ok(failed > 0)
  assert.deepEqual([failed + dropped, started], [4000, ended])
  assert.equal(lastErrorCode, 'HTTP_400')
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

test('with outgoing requests switched off no socket is opened to the collector, and the status says why', async (t) => {
  let connections = 0
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1')
  server.on('connection', () => {
    connections += 1
  })
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const env = { ORCH_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ORCH_OUTBOUND: 'off', ORCH_STORE: 'memory' }
  const repository = { ORCH_REPO: 'owner/name', ORCH_SOURCE_REPO_URL: `http://127.0.0.1:${port}` }
  const service = await startApp(t, { ...env, ...repository }, [])
  await service.app.ports.readings.refresh()
  await send(`${service.url}/api/livez`)
  await service.app.ports.telemetry.probe()
  const { json } = await send(`${service.url}/api/orch/v1/otel/status`)
  assert.deepEqual([json.status, json.delivery_asserted], ['DEGRADED', false])
  assert.deepEqual([json.exporter.state, json.exporter.last_error_code], ['CONFIGURED', 'TRANSPORT_DISABLED'])
  assert.deepEqual([json.collector.state, json.collector.evidence], ['UNKNOWN', 'NO_PROBE'])
  const { json: rollup } = await send(`${service.url}/api/orch/healthz`)
  assert.deepEqual(rollup.degraded_reasons, [], 'what the operator switched off has not failed')
  const { json: honest } = await send(`${service.url}/honest`)
  assert.ok(honest.disclosures.some(({ code }: { code: string }) => code === 'OUTBOUND_OFF'))
  await service.stop()
  assert.equal(connections, 0)
})

for (const path of ['', '/', '/v1/traces', '/v1/traces/'])
  test(`a collector configured with the path "${path}" gets its spans at /v1/traces`, async (t) => {
    const collector = await startCollector(t)
    const service = await startApp(t, { ORCH_OTLP_ENDPOINT: `${collector.url}${path}`, ORCH_STORE: 'memory' }, [])
    await send(`${service.url}/api/livez`)
    await service.app.ports.telemetry.probe()
    await service.stop()
    assert.deepEqual([...new Set(collector.seen.map(({ url }) => url))], ['/v1/traces'])
  })

const replies: [what: string, written: (own: string) => string | null, found: boolean][] = [
  ['its own trace', (own) => own, true],
  ['no traceparent', () => null, false],
  ['a traceparent of another trace', () => `00-${TRACE}-${SPAN}-01`, false],
]
for (const endpoint of [null, 'http://127.0.0.1:9'])
  for (const [what, written, found] of replies)
    test(`a reply with ${what} is ${found ? 'found' : 'not found'} again ${endpoint === null ? 'without' : 'with'} a collector`, async () => {
      const tracing = createTracing({ endpoint, outbound: true, headers: null, ratio: 0, version: 'test' })
      const span = tracing.request('GET /x', {})
      span.replied = () => written(span.traceparent)
      assert.deepEqual(await span.within(() => tracing.roundTrip()), { afterHop: true, inReply: found })
      span.replied = null
      assert.equal((await span.within(() => tracing.roundTrip())).inReply, false)
      await tracing.stop()
    })
