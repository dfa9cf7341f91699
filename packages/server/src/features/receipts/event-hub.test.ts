import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReplayPage, TailPage, Wanted } from '../../domain/receipts/events.ts'
import { MAX_WAITING_BYTES, type Subscription } from './event-client.ts'
import { EventHub, type HubLedger } from './event-hub.ts'

const LIMITS = { total: 3, perCaller: 2 }
const encoder = new TextEncoder()
const VIEWER = { namespace: 'public', owner: 'local', authMode: 'open', scopes: new Set<string>() }
const subscription = (from: number, more: Partial<Subscription> = {}): Subscription => ({
  wanted: { viewer: VIEWER, filter: {}, chain: null },
  key: 'all',
  from,
  resetFrom: null,
  signal: new AbortController().signal,
  ...more,
})

/** A ledger whose receipts are their own indexes, ten to a page. */
function ledgerOf(size: number) {
  const asked = { replays: [] as number[], tails: [] as { from: number; groups: number }[], reading: 0, most: 0 }
  const listeners = new Set<() => void>()
  const state = { size, text: (index: number) => `${index} ` }
  const texts = (from: number) =>
    Array.from({ length: Math.min(10, state.size - from) }, (_, at) => encoder.encode(state.text(from + at)))
  const ledger: HubLedger = {
    state: () => state,
    onState: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    queries: {
      async eventReplay(_wanted: Wanted, from: number): Promise<ReplayPage> {
        asked.replays.push(from)
        asked.reading += 1
        asked.most = Math.max(asked.most, asked.reading)
        await nextTurn()
        asked.reading -= 1
        const found = texts(from)
        return { bytes: Buffer.concat(found), next: from + found.length, atHead: found.length < 10 }
      },
      async eventTail(wanted: readonly Wanted[], from: number): Promise<TailPage> {
        asked.tails.push({ from, groups: wanted.length })
        const found = texts(from)
        let at = 0
        return {
          next: from + found.length,
          bytes: Buffer.concat(found),
          indexes: found.map((_, n) => from + n),
          endOffsets: found.map(({ length }) => (at += length)),
          wanted: wanted.map(({ chain }) => (chain === 'nobody' ? [] : null)),
        }
      },
    },
  }
  const grow = (by: number) => {
    state.size += by
    for (const listener of listeners) listener()
  }
  return { ledger, asked, grow, state, listeners }
}

const read = async (stream: AsyncIterator<string | Uint8Array>): Promise<string> => {
  const { value, done } = await stream.next()
  return done ? 'END' : typeof value === 'string' ? value : new TextDecoder().decode(value)
}
const upTo = async (stream: AsyncIterator<string | Uint8Array>, last: string): Promise<string> => {
  let text = ''
  while (!text.includes(last)) text += await read(stream)
  return text
}

test('what is new is read once for any number of clients, and a group that wants nothing of it gets nothing', async () => {
  const { ledger, asked, grow } = ledgerOf(0)
  const hub = new EventHub(ledger, { total: 500, perCaller: 500 }, () => 0)
  const streams = Array.from({ length: 300 }, () => hub.open(subscription(0), 'a'))
  const deaf = hub.open(subscription(0, { key: 'none', wanted: { viewer: VIEWER, filter: {}, chain: 'nobody' } }), 'b')
  await Promise.all([...streams, deaf].map(read))
  const waiting = streams.map((stream) => upTo(stream, '24 '))
  const silent = read(deaf)
  while (hub.following < 301) await nextTurn()
  grow(25)
  const expected = Array.from({ length: 25 }, (_, at) => `${at} `).join('')
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([expected]))
  assert.deepEqual(
    asked.tails,
    [0, 10, 20].map((from) => ({ from, groups: 2 })),
  )
  assert.equal(await Promise.race([silent, nextTurn('nothing')]), 'nothing')
})

test('replays are read a few at a time and by turns, and a page that many want is read once', async () => {
  const { ledger, asked } = ledgerOf(100)
  const hub = new EventHub(ledger, { total: 500, perCaller: 500 }, () => 0)
  const texts = await Promise.all(
    Array.from({ length: 100 }, (_, at) => upTo(hub.open(subscription(0, { key: `k${at % 10}` }), 'a'), '99 ')),
  )
  assert.equal(new Set(texts).size, 1)
  assert.ok(asked.most <= 4, `${asked.most} pages were read at once`)
  assert.ok(asked.replays.length <= 200, `${asked.replays.length} pages were read for ten different ones of each place`)
  const firstOfLast = asked.replays.indexOf(90)
  assert.ok(asked.replays.lastIndexOf(0) < firstOfLast, 'everybody has begun before anybody is through')
})

test('a client that stops reading is told where to resume and dropped; what waits for it is bounded', async () => {
  const { ledger, grow, state } = ledgerOf(0)
  state.text = (index) => `${index} `.padEnd(100_000, '.')
  const hub = new EventHub(ledger, LIMITS, () => 0)
  const stream = hub.open(subscription(0), 'a')
  await read(stream)
  const first = read(stream)
  while (hub.following < 1) await nextTurn()
  grow(1)
  assert.match(await first, /^0 /)
  for (let n = 0; n < 30 && hub.following === 1; n += 1) {
    grow(1)
    await nextTurn()
    await nextTurn()
  }
  assert.equal(hub.following, 0, `dropped at some ${MAX_WAITING_BYTES} bytes`)
  const closing = await read(stream)
  assert.match(closing, /^id: 0\nevent: closing\ndata: \{"resume_after":0,/)
  assert.equal(await read(stream), 'END')
  const back = hub.open(subscription(1), 'a')
  await read(back)
  assert.match(await read(back), /^1 /)
})

test('a client that does not read is not read for: the ledger is asked only as far as the client has got', async () => {
  const { ledger, asked } = ledgerOf(100)
  const stream = new EventHub(ledger, LIMITS, () => 0).open(subscription(0), 'a')
  await read(stream)
  assert.deepEqual(asked.replays, [])
  await read(stream)
  assert.deepEqual(asked.replays, [0])
  await read(stream)
  assert.deepEqual(asked.replays, [0, 10])
})

test('a quiet stream says so after 15 s, and a call to leave ends it with the place to resume at', async () => {
  let now = 0
  const leave = new AbortController()
  const { ledger, listeners } = ledgerOf(7)
  const hub = new EventHub(ledger, LIMITS, () => now)
  const stream = hub.open(subscription(7, { signal: leave.signal }), 'a')
  assert.equal(await read(stream), ': receipts follow\n\n')
  const quiet = read(stream)
  while (hub.following < 1) await nextTurn()
  now = 14_999
  stream.tick()
  now = 15_000
  stream.tick()
  assert.equal(await quiet, ': nothing new\n\n')
  leave.abort()
  assert.match(await read(stream), /^id: 6\nevent: closing\ndata: \{"resume_after":6,/)
  assert.equal(await read(stream), 'END')
  assert.equal(listeners.size, 0, 'nobody listens to a ledger for nobody')
})

test('a caller has as many streams as it may, all of them together too, and a stream that ended makes room', () => {
  const hub = new EventHub(ledgerOf(0).ledger, LIMITS, () => 0)
  const open = (caller: string | null) => hub.open(subscription(0), caller)
  const first = open('a')
  open('a')
  assert.throws(() => open('a'), { code: 'too_many_streams' })
  open('b')
  assert.throws(() => open('b'), { code: 'too_many_streams' }, 'three is all there may be')
  void first.return()
  void first.return()
  open('b')
  assert.throws(() => open('a'), { code: 'too_many_streams' })
  assert.doesNotThrow(() => open(null), 'a check of our own is not counted')
})

test('a ledger that cannot be read ends a replay with the place to resume at, and a follower goes on later', async () => {
  const { ledger, grow } = ledgerOf(20)
  const { eventReplay, eventTail } = ledger.queries
  const hub = new EventHub(ledger, LIMITS, () => 0)
  ledger.queries.eventReplay = async () => Promise.reject(new Error('away'))
  const stream = hub.open(subscription(5), 'a')
  await read(stream)
  assert.match(await read(stream), /^id: 4\nevent: closing\ndata: \{"resume_after":4,/)
  ledger.queries.eventReplay = eventReplay
  const follower = hub.open(subscription(20), 'a')
  await read(follower)
  const next = read(follower)
  while (hub.following < 1) await nextTurn()
  ledger.queries.eventTail = async () => Promise.reject(new Error('away'))
  grow(1)
  await nextTurn()
  ledger.queries.eventTail = eventTail
  grow(1)
  assert.equal(await next, '20 21 ')
})
