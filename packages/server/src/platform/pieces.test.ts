import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { type Apart, withDeadline } from './deadline.ts'
import { mapLimit } from './map-limit.ts'
import { once } from './once.ts'
import { nearestRank, Ring } from './ring.ts'
import { SingleFlight, singleFlight } from './single-flight.ts'

const NEVER_MS = 600_000
const never = () => new Promise<never>(() => undefined)
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

test('work that ends in time gives its value, its timer is cleared and its signal aborted', async () => {
  const before = timers()
  let seen: AbortSignal | null = null
  const work = async (signal: AbortSignal) => {
    seen = signal
    assert.equal(signal.aborted, false)
    return 'done'
  }
  assert.equal(await withDeadline(NEVER_MS, work, () => 'late'), 'done')
  assert.equal(seen!.aborted, true)
  assert.equal(timers(), before)
})

test('work that fails rejects with its own error and leaves no timer', async () => {
  const before = timers()
  await assert.rejects(
    withDeadline(
      NEVER_MS,
      () => Promise.reject(new Error('mine')),
      () => 'late',
    ),
    /mine/,
  )
  assert.equal(timers(), before)
})

test('at the limit the answer is what late returns or throws, and the work is told by its signal', async () => {
  let seen: AbortSignal | null = null
  const work = (signal: AbortSignal) => {
    seen = signal
    return never()
  }
  assert.equal(await withDeadline(1, work, () => 'late'), 'late')
  assert.equal(seen!.aborted, true)
  const throwing = () => {
    throw new RangeError('too late')
  }
  await assert.rejects(withDeadline(1, never, throwing), RangeError)
})

test('what the work throws after the limit is no unhandled rejection', async () => {
  const { promise, reject } = Promise.withResolvers<never>()
  assert.equal(
    await withDeadline(
      1,
      () => promise,
      () => null,
    ),
    null,
  )
  reject(new Error('long after'))
  await turnOfLoop()
})

test('the limit stands still while the work waits for what has limits of its own, and counts again afterwards', async () => {
  const long = new Promise((resolve) => setTimeout(resolve, 40))
  const waiting = async (_signal: AbortSignal, apart: Apart) => {
    await Promise.all([apart(long), apart(Promise.resolve())])
    return 'done'
  }
  assert.equal(await withDeadline(5, waiting, () => 'late'), 'done')
  const lingering = async (_signal: AbortSignal, apart: Apart) => {
    await apart(Promise.resolve())
    return never()
  }
  assert.equal(await withDeadline(5, lingering, () => 'late'), 'late')
  const before = timers()
  const leaving = async (_signal: AbortSignal, apart: Apart) => {
    void apart(turnOfLoop())
    return 'left'
  }
  assert.equal(await withDeadline(NEVER_MS, leaving, () => 'late'), 'left')
  await turnOfLoop()
  assert.equal(timers(), before)
})

test('when the outer signal aborts, before or during the work, the race rejects with its reason', async () => {
  const outer = new AbortController()
  const racing = withDeadline(NEVER_MS, never, () => 'late', outer.signal)
  outer.abort(new TypeError('gone'))
  await assert.rejects(racing, TypeError)
  const work = mock.fn(never)
  await assert.rejects(
    withDeadline(NEVER_MS, work, () => 'late', outer.signal),
    TypeError,
  )
  assert.equal(work.mock.callCount(), 0)
})

test('whoever asks while the work runs shares the run, and whoever asks later starts another', async () => {
  const work = mock.fn(async () => {
    await turnOfLoop()
    return {}
  })
  const shared = singleFlight(work)
  const [one, other] = await Promise.all([shared(), shared()])
  assert.equal(one, other)
  assert.notEqual(await shared(), one)
  assert.equal(work.mock.callCount(), 2)
})

test('a shared failure fails everybody who shares it and nobody after them', async () => {
  let fails = true
  const shared = singleFlight(async () => {
    await turnOfLoop()
    if (fails) throw new Error('mine')
    return 'well'
  })
  const outcomes = await Promise.allSettled([shared(), shared()])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  fails = false
  assert.equal(await shared(), 'well')
})

test('runs of different keys are not shared', async () => {
  const flights = new SingleFlight<string>()
  const answer = (name: string) => flights.run(name, async () => ({ name }))
  const [a, b, again] = await Promise.all([answer('a'), answer('b'), answer('a')])
  assert.deepEqual([a, b], [{ name: 'a' }, { name: 'b' }])
  assert.equal(again, a)
})

test('work is done at the first call alone, also where it gives undefined or a rejection', async () => {
  const silent = mock.fn(() => undefined)
  const quiet = once(silent)
  assert.deepEqual([quiet(), quiet(), silent.mock.callCount()], [undefined, undefined, 1])
  const failing = mock.fn(() => Promise.reject(new Error('mine')))
  const failed = once(failing)
  await assert.rejects(failed(), /mine/)
  await assert.rejects(failed(), /mine/)
  assert.equal(failing.mock.callCount(), 1)
})

test('a ring keeps the newest numbers, oldest first', () => {
  const ring = new Ring(3)
  assert.deepEqual(ring.values(), [])
  const seen = [1, 2, 3, 4, 5].map((n) => {
    ring.push(n)
    return ring.values()
  })
  assert.deepEqual(seen, [[1], [1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]])
})

test('a percentile is the smallest number that so many of all are not above', () => {
  const twenty = Array.from({ length: 20 }, (_, n) => n + 1)
  assert.deepEqual(
    [50, 95, 99, 100].map((percent) => nearestRank(twenty, percent)),
    [10, 19, 20, 20],
  )
  assert.deepEqual([nearestRank([7], 1), nearestRank([], 50)], [7, null])
})

test('at most so many items are worked on at a time, and the results keep the order of the items', async () => {
  let [active, most] = [0, 0]
  const doubled = await mapLimit([3, 1, 2, 5, 4], 2, async (n) => {
    active += 1
    most = Math.max(most, active)
    for (let turn = 0; turn < n; turn++) await turnOfLoop()
    active -= 1
    return n * 2
  })
  assert.deepEqual([doubled, most], [[6, 2, 4, 10, 8], 2])
  assert.deepEqual(await mapLimit([], 2, never), [])
})

test('the first failure fails the whole', async () => {
  const work = async (n: number) => (n === 2 ? Promise.reject(new Error('mine')) : n)
  await assert.rejects(mapLimit([1, 2, 3], 2, work), /mine/)
})
