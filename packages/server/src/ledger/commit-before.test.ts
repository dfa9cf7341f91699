import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../errors.ts'
import { systemClock } from '../platform/clock.ts'
import type { Ledger } from '../ports.ts'
import type { DocumentWrite } from './contract.ts'
import { optimisticRetry, type RetryOnConflict } from './optimistic-retry.ts'
import { createRecorder } from './recorder.ts'

const commitBefore = (
  ledger: Pick<Ledger, 'writeDocuments'>,
  retryOnConflict: RetryOnConflict = optimisticRetry(systemClock),
) => createRecorder(ledger as Ledger, systemClock, retryOnConflict).commitBefore

/** One counter of which each reservation takes one, as the store would hold it. */
function counter(capacity: number) {
  const stored = { version: 0, spent: 0, conflicts: 0 }
  const write = (expect: number): DocumentWrite => ({
    space: 's',
    key: 'k',
    expect,
    owner: 'o',
    state: 'open',
    rank: 0,
    value: '{}',
  })
  const ledger = {
    async writeDocuments([first]: readonly DocumentWrite[]) {
      await null
      if (first!.expect !== stored.version) {
        stored.conflicts += 1
        throw new ServiceError('state_conflict', 'changed')
      }
      stored.version += 1
      stored.spent += 1
    },
  }
  const decide = async () => {
    const { version, spent } = stored
    await null
    return spent < capacity ? { taken: true, documents: [write(version)] } : { taken: false, documents: [] }
  }
  return { stored, ledger, decide }
}

test('of 200 at once exactly as many get through as there is room for', async () => {
  const { stored, ledger, decide } = counter(20)
  const commit = commitBefore(ledger)
  const found = await Promise.all(Array.from({ length: 200 }, () => commit(decide)))
  assert.equal(found.filter(({ taken }) => taken).length, 20)
  assert.equal(stored.spent, 20)
})

test('a store that keeps changing is told after five seconds, and other faults at once', async () => {
  const { ledger, decide, stored } = counter(5)
  const behind = {
    writeDocuments: (writes: readonly DocumentWrite[]) => ledger.writeDocuments([{ ...writes[0]!, expect: -1 }]),
  }
  let now = 0
  const pause = async (ms: number) => {
    now += ms
  }
  const retryOnConflict = optimisticRetry({ monotonic: () => now }, pause)
  await assert.rejects(commitBefore(behind, retryOnConflict)(decide), { code: 'state_conflict' })
  assert.ok(now >= 5_000 && stored.conflicts > 300, `${stored.conflicts} tries`)
  assert.equal(stored.spent, 0)
  const broken = { writeDocuments: () => Promise.reject(new ServiceError('store_unavailable', 'gone')) }
  await assert.rejects(commitBefore(broken, retryOnConflict)(decide), { code: 'store_unavailable' })
})

test('a decision that claims nothing writes nothing, and counters alone are written', async () => {
  const written: unknown[] = []
  const ledger = {
    async writeDocuments(...args: unknown[]) {
      written.push(args)
    },
  }
  const commit = commitBefore(ledger)
  await commit(async () => ({ documents: [] }))
  assert.deepEqual(written, [])
  const counters = [{ space: 's', key: 'k', owner: 'o', add: 1, limit: 2 }]
  assert.deepEqual(await commit(async () => ({ counters })), { counters })
  assert.deepEqual(written, [[[], counters]])
})
