// The cache and the budgets of the day over SQLite and over PostgreSQL with two nodes.

import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { type PostgresServer, postgresUnavailable, startPostgres } from '#testing/postgres.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { localHosts } from '#testing/readings/local-hosts.ts'
import { documentStore, movedClock } from '#testing/readings/reader.ts'
import { openLedger } from '../../ledger/ledger.ts'
import type { Ledger } from '../../ports.ts'
import { type CacheLimits, type CacheStore, StoreCache } from './cache.ts'
import { openOutbound } from './outbound.ts'
import { provider } from './providers.ts'

const clock = movedClock()
const entry = (key: string, value: unknown = key, at = clock.now()) => ({ key, at, value })
const valuesOf = async (cache: StoreCache, keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await cache.read(key))?.value ?? null))

let server: PostgresServer | null = null
let databases = 0
after(() => server?.stop())

interface Kind {
  name: string
  unavailable: string | undefined
  /** As many nodes on one store as it takes. */
  open(t: TestContext, nodes: number): Promise<{ nodes: Ledger[]; reopen(): Promise<Ledger> }>
}

async function opened(t: TestContext, settings: Parameters<typeof openLedger>[0][]) {
  const open: Ledger[] = []
  t.after(async () => {
    for (const ledger of open) await ledger.close()
    for (const { data } of settings) rmSync(data, { recursive: true, force: true })
  })
  const [first, ...others] = settings
  open.push(await openLedger(first!))
  for (const other of others) {
    copyFileSync(join(first!.data, 'log-key.pem'), join(other.data, 'log-key.pem'))
    open.push(await openLedger(other))
  }
  return {
    nodes: [...open],
    async reopen() {
      await open.shift()!.close()
      open.unshift(await openLedger(first!))
      return open[0]!
    },
  }
}

const kinds: Kind[] = [
  {
    name: 'SQLite',
    unavailable: undefined,
    open: (t) => opened(t, [settingsFor(freshFolder('cache'), { store: 'sqlite' })]),
  },
  {
    name: 'PostgreSQL',
    unavailable: postgresUnavailable(),
    async open(t, nodes) {
      server ??= await startPostgres({ settings: { fsync: 'off' } })
      const postgresUrl = await server.createDatabase(`cache${databases++}`)
      const settings = Array.from({ length: nodes }, (_, n) =>
        settingsFor(freshFolder(`cache${n}`), { store: 'postgres', postgresUrl }),
      )
      return opened(t, settings)
    },
  },
]

for (const { name, unavailable, open } of kinds) {
  test(`${name}: what was cached is there after a restart, and the newest of each key`, async (t) => {
    if (unavailable) return t.skip(unavailable)
    const { nodes, reopen } = await open(t, 1)
    const cache = new StoreCache(nodes[0]!, clock)
    await cache.write([entry('a', { n: 1 }), entry('b', 'quote "\u0000\u2028 \ud83d\ude80')])
    await cache.write([entry('a', 'older', clock.now() - 1), entry('b', 'newer', clock.now() + 1)])
    const again = new StoreCache(await reopen(), clock)
    assert.deepEqual(await valuesOf(again, ['a', 'b', 'c']), [{ n: 1 }, 'newer', null])
  })

  test(`${name}: a budget of the day is spent once for all, also over a restart, and is new the next day`, async (t) => {
    if (unavailable) return t.skip(unavailable)
    const [{ nodes, reopen }, hosts, day] = [await open(t, 1), await localHosts(), movedClock()]
    t.after(() => hosts.close())
    hosts.pages.set('/a', {})
    const row = provider({ id: 'bls', origins: [hosts.url], perDay: 3 })
    const ask = async (store: CacheStore) => {
      const outbound = openOutbound({ enabled: true, privateHosts: [] }, [row], { store, clock: day })
      const found = await outbound.get('bls', '/a', {}, { normalise: (reply) => reply })
      return found.ok ? found.state : found.state === 'UNAVAILABLE' ? found.code : found.state
    }
    const first = nodes[0]!
    assert.deepEqual([await ask(first), await ask(first)], ['SNAPSHOT', 'SNAPSHOT'])
    const second = await reopen()
    assert.deepEqual([await ask(second), await ask(second)], ['SNAPSHOT', 'PROVIDER_BUDGET_SPENT'])
    assert.equal(hosts.seen.length, 3)
    const status = await openOutbound({ enabled: true, privateHosts: [] }, [row], { store: second, clock: day }).status(
      'bls',
    )
    assert.deepEqual([status.budget, status.cooldown_until], [{ limit: 3, used: 3 }, null])
    day.forward(86_400)
    assert.equal(await ask(second), 'SNAPSHOT')
  })
}

test('two nodes on one PostgreSQL share what either caches, and neither loses what both write at once', async (t) => {
  const { unavailable, open } = kinds[1]!
  if (unavailable) return t.skip(unavailable)
  const { nodes } = await open(t, 2)
  const [one, two] = nodes.map((node) => new StoreCache(node, clock)) as [StoreCache, StoreCache]
  await one.write([entry('a')])
  assert.deepEqual(await valuesOf(two, ['a']), ['a'])
  await Promise.all([one.write([entry('b')]), two.write([entry('c')])])
  for (const cache of [one, two]) assert.deepEqual(await valuesOf(cache, ['a', 'b', 'c']), ['a', 'b', 'c'])
  await two.write([entry('a', 'again', clock.now() + 1)])
  assert.deepEqual(await valuesOf(one, ['a']), ['again'], 'what a node knows of the index may be old')
})

const small = (limits: Partial<CacheLimits>, store = documentStore()) =>
  ({ store, cache: new StoreCache(store, clock, { entries: 4, bytes: 10_000, ...limits }) }) as const

test('of one entry more than there is room for, the least recently used goes', async () => {
  for (const [count, missing] of [
    [3, []],
    [4, []],
    [5, ['k0']],
    [6, ['k0', 'k2']],
  ] as const) {
    const { cache, store } = small({})
    const keys = Array.from({ length: count }, (_, n) => `k${n}`)
    for (const [n, key] of keys.entries()) {
      if (n === 5) await cache.read('k1')
      await cache.write([entry(key)])
    }
    const gone = (await valuesOf(cache, keys)).flatMap((value, n) => (value === null ? [keys[n]] : []))
    assert.deepEqual(gone, missing, `${count}`)
    assert.ok(store.rows.size <= 5, 'four slots and the index')
  }
})

test('the bytes of all entries stay within the limit, and what is evicted leaves nothing in the store', async () => {
  const sizeOf = (text: string) => Buffer.byteLength(JSON.stringify(entry('a', text)))
  const text = 'x'.repeat(100)
  for (const [limit, missing] of [
    [2 * sizeOf(text) + 1, null],
    [2 * sizeOf(text), null],
    [2 * sizeOf(text) - 1, 'a'],
  ] as const) {
    const { cache, store } = small({ bytes: limit })
    await cache.write([entry('a', text)])
    await cache.write([entry('b', text)])
    assert.equal((await cache.read('a')) === null, missing === 'a', `${limit}`)
    assert.equal((await cache.read('b'))?.value, text)
    const stored = [...store.rows.values()].filter(({ value }) => value.includes(text))
    assert.equal(stored.length, missing === null ? 2 : 1)
  }
})

test('an entry larger than a document is not cached, and what was there stays', async () => {
  const { cache } = small({ bytes: 64 * 2 ** 20 })
  const around = Buffer.byteLength(JSON.stringify(entry('a', '')))
  for (const [size, fits] of [
    [2 ** 20 - 1, true],
    [2 ** 20, true],
    [2 ** 20 + 1, false],
  ] as const) {
    const value = 'x'.repeat(size - around)
    await cache.write([entry('a', value)])
    assert.equal((await cache.read('a'))?.value === value, fits, `${size}`)
  }
})

test('a damaged index or slot counts as absent, and the cache goes on', async () => {
  for (const value of ['', '{', 'null', '{"schema":"orch.outbound-cache/v1"}', '{}']) {
    const { store, cache } = small({})
    await cache.write([entry('a'), entry('b')])
    for (const [key, row] of store.rows) store.rows.set(key, { ...row, value })
    const after = small({}, store).cache
    assert.equal(await after.read('a'), null, value)
    await after.write([entry('a', 'again')])
    assert.deepEqual(await valuesOf(after, ['a', 'b']), ['again', null], value)
  }
})
