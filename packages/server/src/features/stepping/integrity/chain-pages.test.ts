import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row } from '../../../ledger/contract.ts'
import { chainPages } from './chain-pages.ts'

/** A chain whose rows have the given places, and what was asked of it. */
function chainOf(places: readonly number[]) {
  const asked: [from: number, limit: number][] = []
  const reader = {
    async chainRange(_ns: string, _chain: string, from: number, limit: number) {
      asked.push([from, limit])
      return places
        .filter((seq) => seq >= from)
        .slice(0, limit)
        .map((seq) => ({ seq }) as Row)
    },
  }
  return { asked, part: { reader, namespace: 'public', chain: 'gdw' } }
}

const upTo = (count: number) => Array.from({ length: count }, (_, seq) => seq)

async function walked(
  places: readonly number[],
  from: number,
  to?: number,
): Promise<{ seen: number[]; sizes: number[] }> {
  const seen: number[] = []
  const sizes: number[] = []
  const { part } = chainOf(places)
  for await (const page of chainPages({ ...part, from, ...(to === undefined ? {} : { to }) }, async ({ seq }) => seq)) {
    sizes.push(page.length)
    for (const [row, found] of page) {
      assert.equal(found, row.seq)
      seen.push(row.seq)
    }
  }
  return { seen, sizes }
}

test('every row comes once, in order, in pages of a hundred', async () => {
  for (const [count, sizes] of [
    [0, []],
    [1, [1]],
    [99, [99]],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ] as const)
    assert.deepEqual(await walked(upTo(count), 0), { seen: upTo(count), sizes })
})

test('it begins and ends where it is told to', async () => {
  assert.deepEqual((await walked(upTo(300), 120, 251)).seen, upTo(251).slice(120))
  assert.deepEqual((await walked(upTo(10), 4, 4)).seen, [])
  assert.deepEqual((await walked(upTo(10), 4, 40)).seen, upTo(10).slice(4))
})

test('a hole in the chain is stepped over', async () => {
  const places = upTo(150).filter((seq) => seq < 90 || seq > 110)
  assert.deepEqual((await walked(places, 0)).seen, places)
})

test('the next page is asked for before the work on this one ends', async () => {
  const { part, asked } = chainOf(upTo(150))
  const gate = Promise.withResolvers<void>()
  const pages = chainPages({ ...part, from: 0 }, () => gate.promise)
  const first = pages.next()
  while (asked.length < 2) await new Promise(setImmediate)
  assert.deepEqual(asked, [
    [0, 100],
    [100, 100],
  ])
  gate.resolve()
  assert.equal((await first).value?.length, 100)
})

test('what fails is told when its page comes, and by nobody else', async () => {
  const { part } = chainOf(upTo(150))
  const seen: number[] = []
  const work = async ({ seq }: Row) => {
    if (seq === 120) throw new Error('gone')
    return seq
  }
  await assert.rejects(async () => {
    for await (const page of chainPages({ ...part, from: 0 }, work)) seen.push(page.length)
  }, /gone/)
  assert.deepEqual(seen, [100])
  for await (const page of chainPages({ ...part, from: 0 }, work)) {
    assert.equal(page.length, 100)
    break
  }
  await new Promise(setImmediate)
})
