import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { test } from 'node:test'
import { type Service, startApp } from '#testing/layer.ts'
import { parsePrometheusText, seriesKey } from '#testing/prometheus-text.ts'
import { exchange, post, send } from '#testing/raw-http.ts'
import { createMetrics } from './metrics.ts'

const read = async ({ url }: Service) => parsePrometheusText((await send(`${url}/metrics`)).text)
const REQUESTS = 'orch_http_requests_total'
const count = (families: Awaited<ReturnType<typeof read>>, method: string, route: string, code: string) =>
  families.get(REQUESTS)?.samples.get(seriesKey(REQUESTS, { method, route, code })) ?? 0

test('the counters match the requests that were sent', async (t) => {
  const service = await startApp(t)
  const search = '/api/orch/v1/layer/search'
  for (let sent = 0; sent < 7; sent += 1) await send(service.url + search)
  for (let sent = 0; sent < 3; sent += 1) await send(service.url + search, { method: 'HEAD' })
  for (let sent = 0; sent < 2; sent += 1) await send(`${service.url}${search}?limit=x`)
  await send(service.url + search, { method: 'DELETE' })
  await send(`${service.url}/nope`)
  await send(`${service.url}/nope`, { method: 'PROPFIND' })
  await post(`${service.url}/api/orch/v1/layer/echo`, 'x', { 'content-type': 'text/plain' })
  await post(`${service.url}/v1/layer/echo`, '{}')
  await send(`${service.url}/api/orch/v1/layer/items/one`)
  await send(`${service.url}/api/orch/v1/layer/items/two`)
  await exchange(service.port, 'garbage\r\n\r\n')
  const families = await read(service)
  assert.equal(count(families, 'GET', search, '200'), 7)
  assert.equal(count(families, 'HEAD', search, '200'), 3)
  assert.equal(count(families, 'GET', search, '422'), 2)
  assert.equal(count(families, 'DELETE', search, '405'), 1)
  assert.equal(count(families, 'GET', 'unmatched', '404'), 1)
  assert.equal(count(families, 'OTHER', 'unmatched', '404'), 1)
  assert.equal(count(families, 'OTHER', 'unreadable', '400'), 1)
  assert.equal(count(families, 'POST', '/api/orch/v1/layer/echo', '415'), 1)
  assert.equal(count(families, 'POST', '/v1/layer/echo', '200'), 1)
  assert.equal(count(families, 'GET', '/api/orch/v1/layer/items/:item_id', '200'), 2)
  const durations = families.get('orch_http_request_duration_seconds')!.samples
  assert.equal(
    durations.get(seriesKey('orch_http_request_duration_seconds_count', { method: 'GET', route: search })),
    9,
  )
  assert.equal(
    families
      .get('orch_http_request_body_rejected_total')!
      .samples.get(seriesKey('orch_http_request_body_rejected_total', { reason: 'unsupported_media_type' })),
    1,
  )
  assert.equal(
    families.get('orch_http_requests_in_progress')!.samples.get(seriesKey('orch_http_requests_in_progress', {})),
    1,
  )
})

test('text and JSON are two forms of the same readings', async (t) => {
  const service = await startApp(t)
  await send(`${service.url}/api/orch/v1/layer/search`)
  const text = await read(service)
  const { json, headers } = await send(`${service.url}/metrics`, { headers: { accept: 'application/json' } })
  assert.equal(headers.vary, 'accept')
  assert.deepEqual([json.schema, json.label], ['orch.metrics/v1', 'MEASURED'])
  assert.deepEqual(json.metrics.map(({ name }: { name: string }) => name).sort(), [...text.keys()].sort())
  for (const family of json.metrics) {
    const expected = text.get(family.name)!
    assert.equal(family.type, expected.type)
    assert.equal(family.help, expected.help)
    // What the process does meanwhile moves its own readings; those of the requests before stand still.
    if (!family.name.startsWith('orch_http') && family.name !== 'orch_build_info') continue
    for (const { name, labels, value } of family.samples) {
      for (const word of Object.values(labels)) assert.equal(typeof word, 'string', JSON.stringify(labels))
      if (labels.route === '/metrics' || family.name === 'orch_http_requests_in_progress') continue
      assert.equal(expected.samples.get(seriesKey(name ?? family.name, labels)), value, JSON.stringify(labels))
    }
  }
})

const accepts: [accept: string | undefined, type: RegExp][] = [
  [undefined, /^text\/plain; version=0\.0\.4/],
  ['*/*', /^text\/plain/],
  ['text/plain', /^text\/plain/],
  ['application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', /^text\/plain/],
  ['application/json', /^application\/json/],
  ['application/json;q=1', /^application\/json/],
  ['application/jsonx', /^text\/plain/],
  ['application/json;q=0', /^text\/plain/],
  ['application/json; q=0.000, */*', /^text\/plain/],
  ['text/plain;q=0.5, application/json', /^application\/json/],
  ['text/plain, application/json;q=0.9', /^text\/plain/],
  ['text/plain, application/json', /^text\/plain/],
  ['text/plain;q=0, APPLICATION/JSON;q=0.1', /^application\/json/],
  ['application/json;q=much', /^text\/plain/],
]
test('the form follows Accept, and text is the default', async (t) => {
  const { url } = await startApp(t)
  for (const [accept, type] of accepts) {
    const { headers } = await send(`${url}/metrics`, { headers: accept === undefined ? {} : { accept } })
    assert.match(String(headers['content-type']), type, accept ?? 'none')
  }
})

test('10,000 paths, every method and odd values add no series of their own', async (t) => {
  const service = await startApp(t)
  // The process's own families come and go with its sockets and collections; no caller names a label of theirs.
  const seriesOf = async () =>
    [...(await read(service))]
      .filter(([name]) => name.startsWith('orch_http'))
      .reduce((sum, [, { samples }]) => sum + samples.size, 0)
  const others = METHODS.filter((name) => !['CONNECT', 'GET', 'HEAD'].includes(name))
  await send(`${service.url}/nope`)
  await send(`${service.url}/api/orch/v1/layer/items/x`)
  for (const method of others) await send(`${service.url}/api/livez`, { method })
  await seriesOf()
  const before = await seriesOf()
  for (let batch = 0; batch < 100; batch += 1) {
    const pipelined = Array.from({ length: 100 }, (_, at) => {
      const last = at === 99 ? 'connection: close\r\n' : ''
      return `GET /${at % 2 ? 'api/orch/v1/layer/items/' : 'no/'}${batch}-${at} HTTP/1.1\r\nhost: localhost\r\nx-request-id: r${batch}.${at}\r\n${last}\r\n`
    })
    await exchange(service.port, pipelined.join(''))
  }
  for (const method of others) await send(`${service.url}/api/livez`, { method })
  const families = await read(service)
  assert.equal(count(families, 'GET', 'unmatched', '404'), 5001)
  const methods = [...families.get(REQUESTS)!.samples.keys()].map((key) => /"method","([^"]*)"/.exec(key)?.[1])
  assert.deepEqual([...new Set(methods)].sort(), ['DELETE', 'GET', 'OPTIONS', 'OTHER', 'PATCH', 'POST', 'PUT', 'TRACE'])
  assert.equal(count(families, 'GET', '/api/orch/v1/layer/items/:item_id', '200'), 5001)
  assert.equal(await seriesOf(), before)
})

test('the delay of the event loop is one number, in liveness and in the metrics', async () => {
  const delay = { eventLoopDelayP50: () => 3, eventLoopDelayP99: () => 250 }
  const families = parsePrometheusText(await createMetrics({ version: 'v', revision: 'r', node: 'n' }, delay).text())
  const figures = [...families].filter(([name]) => /eventloop_lag_\w+_seconds$/.test(name))
  assert.deepEqual(
    figures.map(([name, { samples }]) => [name, ...samples.values()]),
    [
      ['orch_nodejs_eventloop_lag_p50_seconds', 0.003],
      ['orch_nodejs_eventloop_lag_p99_seconds', 0.25],
    ],
  )
})
