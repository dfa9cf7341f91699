import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ReceiptDraft } from '@orch/core'
import { type Service, startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'

const EVENTS = '/api/orch/v1/events'
const service = await startApp({ after }, { ORCH_STORE: 'memory' })

const draft = (at: number, chain = 'mint'): ReceiptDraft => ({
  ns: 'public',
  chain,
  kind: 'mint',
  ts_utc: '2027-01-15T08:00:00.000Z',
  request_id: `r${at}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: { n: at },
})
const append = ({ app }: Service, from: number, count: number, chain?: string) =>
  Promise.all(Array.from({ length: count }, (_, at) => app.ports.ledger.append(draft(from + at, chain))))

/** Once this is there, the service knows the place at which the stream begins. */
async function connect(path: string, headers: Record<string, string> = {}) {
  const leave = new AbortController()
  const reply = await fetch(`${service.url}${path}`, { headers, signal: leave.signal })
  assert.equal(reply.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  return { reply, leave }
}

/** Reads events until `enough` of the wanted kind came, then leaves. */
async function read({ reply, leave }: Awaited<ReturnType<typeof connect>>, enough: number) {
  const ids: number[] = []
  const names: string[] = []
  let text = ''
  for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      names.push(/^event: (.+)$/m.exec(block)?.[1] ?? 'comment')
      const id = /^id: (\d+)$/m.exec(block)?.[1]
      if (id === undefined) continue
      assert.equal(JSON.parse(/^data: (.+)$/m.exec(block)![1]!).node_index, Number(id))
      ids.push(Number(id))
    }
    if (ids.length >= enough) break
  }
  leave.abort()
  return { ids, names }
}
const listen = async (path: string, enough: number, headers?: Record<string, string>) =>
  read(await connect(path, headers), enough)
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

test('a stream from the beginning replays every receipt in order and goes on with the new ones', async () => {
  await append(service, 0, 150)
  const stream = listen(`${EVENTS}?after=-1`, 200)
  await append(service, 150, 50)
  assert.deepEqual((await stream).ids, numbers(0, 200))
})

test('whoever comes back with the last id misses nothing and gets nothing twice, while others keep writing', async () => {
  const writing = append(service, 200, 200)
  const first = await listen(`${EVENTS}?after=149`, 60)
  const last = first.ids.at(-1)!
  const rest = await listen(EVENTS, 400 - last - 1, { 'last-event-id': String(last) })
  await writing
  assert.deepEqual([...first.ids, ...rest.ids], numbers(150, 400))
})

test('without a last id the stream begins with the next receipt', async () => {
  // A receipt recorded before the stream is open is not its next one, and it would wait for another for ever.
  const stream = await connect(EVENTS)
  await append(service, 400, 1)
  assert.deepEqual((await read(stream, 1)).ids, [400])
})

test('a filtered stream gives only what matches', async () => {
  await append(service, 401, 5, 'other')
  await append(service, 406, 5)
  assert.deepEqual((await listen(`${EVENTS}?after=399&chain=other`, 5)).ids, numbers(401, 406))
  assert.deepEqual((await listen(`${EVENTS}?after=399&chain=mint`, 6)).ids, [400, ...numbers(406, 411)])
})

test('a client that knows more than the ledger holds is told and gets everything', async () => {
  const { ids, names } = await listen(EVENTS, 100, { 'last-event-id': '99999' })
  assert.equal(names[0], 'reset')
  assert.deepEqual(ids.slice(0, 3), [0, 1, 2])
})

for (const [what, path, headers] of [
  ['a last id that is none', EVENTS, { 'last-event-id': 'abc' }],
  ['an unknown kind', `${EVENTS}?kind=nonsense`, {}],
  ['an index below -1', `${EVENTS}?after=-2`, {}],
] as const)
  test(`${what} is refused before the stream begins`, async () => {
    assert.equal((await send(`${service.url}${path}`, { headers })).status, 422)
  })

test('no receipt comes to the serving thread to be parsed, be it for replay, for what is new or for a filter', async (t) => {
  const { reader, queries } = service.app.ports.ledger
  const bodies = [t.mock.method(reader, 'range'), t.mock.method(reader, 'chainRange')]
  const tail = t.mock.method(queries, 'eventTail')
  const streams = Array.from({ length: 20 }, () => listen(`${EVENTS}?after=400&chain=mint`, 8))
  const filtered = listen(`${EVENTS}?after=-1&chain=late`, 1)
  while (tail.mock.callCount() === 0) {
    await append(service, 411, 1)
    await pause(20)
  }
  await append(service, 412, 3)
  await append(service, 415, 1, 'late')
  await Promise.all([...streams, filtered])
  assert.equal((await send(`${service.url}/api/orch/khipu/ledger?gate=lambda-floor`)).status, 200)
  assert.deepEqual(
    bodies.map(({ mock }) => mock.callCount()),
    [0, 0],
  )
})

test('streams are counted for each caller and in all: the last that fits is served, one more is 503 until one ends', async (t) => {
  const own = await startApp(t, { ORCH_STORE: 'memory', ORCH_MAX_STREAMS: '3', ORCH_MAX_STREAMS_PER_CALLER: '2' })
  const leaving = [new AbortController(), new AbortController()]
  for (const { signal } of leaving) assert.equal((await fetch(`${own.url}${EVENTS}`, { signal })).status, 200)
  const refused = await send(`${own.url}${EVENTS}`)
  assert.deepEqual(
    [refused.status, refused.json.error.code, refused.headers['retry-after']],
    [503, 'too_many_streams', '5'],
  )
  assert.equal((await send(`${own.url}${EVENTS}`, { method: 'HEAD' })).status, 200, 'a HEAD opens no stream')
  assert.equal((await send(`${own.url}/api/orch/khipu/ledger`)).status, 200)
  leaving[0]!.abort()
  const again = async () => (await fetch(`${own.url}${EVENTS}`, { signal: leaving[1]!.signal })).status
  while ((await again()) !== 200) await pause(10)
  leaving[1]!.abort()
})

test('a stream is told when the service closes, and the close does not wait for it', async () => {
  const own = await startApp({ after: () => undefined }, { ORCH_STORE: 'memory' })
  const reply = await fetch(`${own.url}${EVENTS}?after=-1`)
  const text = reply.text()
  const late = pause(20_000, 'late', { ref: false })
  assert.notEqual(await Promise.race([own.app.close(), late]), 'late')
  assert.match(await text, /event: closing/)
})
