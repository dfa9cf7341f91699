import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, OrchError, OrchUnreachable } from './index.ts'

const stream = (text: string): Response =>
  new Response(text, { status: 200, headers: { 'content-type': 'text/event-stream' } })
const event = (id: number): string => `id: ${id}\nevent: receipt\ndata: {"node_index":${id}}\n\n`

/** Gives one answer per connection and notes from where each was asked to go on. */
function service(...answers: (Response | Error)[]) {
  const asked: (string | null)[] = []
  const urls: string[] = []
  const doFetch = async (url: string, init: RequestInit) => {
    asked.push(new URL(url).searchParams.get('after'))
    urls.push(url)
    assert.equal(new Headers(init.headers).get('accept'), 'text/event-stream')
    const answer = answers[asked.length - 1] ?? new TypeError('fetch failed')
    if (answer instanceof Error) throw answer
    return answer
  }
  const options = {
    baseUrl: 'http://127.0.0.1:8080',
    retries: 1,
    fetch: doFetch as unknown as typeof fetch,
    wait: async () => undefined,
  }
  return { asked, urls, client: createClient(options) }
}

test('a lost stream is resumed after the last event, and nothing is seen twice or out of order', async () => {
  const { asked, client } = service(stream(event(4) + event(5)), new TypeError('cut'), stream(event(5) + event(6)))
  const states: string[] = []
  const seen: number[] = []
  const stop = new AbortController()
  for await (const { id } of client.events({ after: 3, signal: stop.signal, onConnection: (s) => states.push(s) })) {
    seen.push(id)
    if (id === 6) stop.abort()
  }
  assert.deepEqual(seen, [4, 5, 6])
  assert.deepEqual(asked, ['3', '5', '5'])
  assert.deepEqual(states, ['open', 'lost', 'lost', 'open'])
})

test('filters travel in the query', async () => {
  const { urls, client } = service(stream(event(0)))
  for await (const _ of client.events({ filters: { kind: 'mint', chain: undefined } })) break
  assert.deepEqual(urls, ['http://127.0.0.1:8080/api/orch/v1/events?kind=mint'])
})

test('a refusal ends the stream with the error', async () => {
  const body = JSON.stringify({ error: { code: 'missing_scopes', message: 'no', request_id: 'r' } })
  const { client } = service(new Response(body, { status: 403, headers: { 'content-type': 'application/json' } }))
  await assert.rejects(async () => {
    for await (const _ of client.events()) assert.fail('nothing may come')
  }, OrchError)
})

test('a service that is not there from the beginning is unreachable', async () => {
  const { asked, client } = service()
  await assert.rejects(async () => {
    for await (const _ of client.events()) assert.fail('nothing may come')
  }, OrchUnreachable)
  assert.equal(asked.length, 2)
})

test('an event whose data is no JSON or whose id is no place is passed over', async () => {
  const odd = 'id: 1\nevent: receipt\ndata: {\n\nid: -1\nevent: receipt\ndata: {}\n\nevent: closing\ndata: {}\n\n'
  const { client } = service(stream(`${odd}${event(2)}`))
  for await (const { id } of client.events()) {
    assert.equal(id, 2)
    break
  }
})

test('a ledger that is shorter than what was seen of it is announced and then told from its beginning', async () => {
  const reset = 'event: reset\ndata: {"known":7,"from":0}\n\n'
  const { client } = service(stream(reset + event(0) + event(1)))
  const seen: [string, number][] = []
  for await (const { event: name, id } of client.events({ after: 7 })) {
    seen.push([name, id])
    if (id === 1) break
  }
  assert.deepEqual(seen, [
    ['reset', -1],
    ['receipt', 0],
    ['receipt', 1],
  ])
})
