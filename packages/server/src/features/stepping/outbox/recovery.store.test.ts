// Recovery over both stores: what is brought back, how often, and that it commits with its audit receipt or not at all.
import assert from 'node:assert/strict'
import { canonicalBytes, sha256Hex } from '@orch/core'
import {
  effectsIn,
  listSink,
  type MovedClock,
  movedClock,
  outboxOn,
  recordSteps,
  steppingStores,
} from '#testing/stepping-effects.ts'
import type { Caller } from '../../../access.ts'
import { ServiceError } from '../../../errors.ts'
import { createRecorder } from '../../../ledger/recorder.ts'
import type { Call } from '../../../operation.ts'
import type { Ledger } from '../../../ports.ts'
import type { EffectSink } from '../contract.ts'
import type { EffectDocument } from './effect-documents.ts'
import { createOutbox } from './service.ts'

const bothStores = steppingStores('recovery')
const REVISION = 'a'.repeat(40)
const CALLER: Caller = {
  namespace: 'public',
  owner: 'local',
  keyId: 'operator-1',
  authMode: 'registry',
  scopes: new Set(['effects:recover', 'integrity:global']),
}

const call = (headers: Record<string, string> = {}): Call => ({
  params: null,
  query: null,
  body: {},
  headers,
  caller: CALLER,
  requestId: 'r',
  inputSource: 'CALLER',
  signal: new AbortController().signal,
})

interface Report {
  status: string
  inspected: number
  eligible: number
  rescheduled: number
  revived_dead_letters: number
  eligible_remaining: number
  skipped: Record<string, number>
  by_code: Record<string, number>
  selection: { effect_id: string; from: string; attempts: number }[]
  selection_sha256: string
  receipt: { digest: string; chain: string; prev: string; node_index: number }
}

function deskOn(ledger: Ledger, clock: MovedClock, sink: EffectSink, isIntact = true) {
  const desk = createOutbox({
    ...outboxOn(ledger, clock, sink),
    recorder: createRecorder(ledger, clock),
    build: { gitSha: { value: REVISION, source: 'git', readAt: '' } },
    isIntact: async () => isIntact,
  })
  const recover = async (limit = 100, headers = {}, expected: string | null = null) =>
    (await desk.recover(call(headers), { limit, expected })).body as unknown as Report
  const drained = async () => (await desk.drain(call(), 1000)).body as unknown as { attempted: number; failed: number }
  return { desk, recover, drained }
}

const payloadOf = async (ledger: Ledger, { receipt }: Report) => {
  const row = await ledger.reader.byDigest(receipt.digest)
  return JSON.parse(new TextDecoder().decode(row?.body)).payload as Record<string, unknown>
}
const codeIs = (code: string) => (error: unknown) => error instanceof ServiceError && error.code === code

bothStores('what waits after a passing failure is due at once, with its attempts as they were', async (ledger) => {
  await recordSteps(ledger, { count: 5 })
  const [clock, sink] = [movedClock(), listSink(() => 'HTTP_5XX')]
  const { recover, drained } = deskOn(ledger, clock, sink)
  assert.equal((await recover()).status, 'NO_ELIGIBLE_EFFECTS')
  assert.equal((await drained()).failed, 5)
  assert.equal((await drained()).attempted, 0)
  const report = await recover(3)
  const { selection, selection_sha256, receipt } = report
  assert.deepEqual(
    [report.status, report.eligible, report.rescheduled, report.revived_dead_letters, report.eligible_remaining],
    ['RESCHEDULED', 5, 3, 0, 2],
  )
  assert.deepEqual(report.by_code, { HTTP_5XX: 3 })
  assert.equal(selection_sha256, sha256Hex(canonicalBytes(selection)))
  const effects = await effectsIn(ledger)
  const due = effects.filter(({ effect }) => effect.due_at <= clock.time)
  assert.deepEqual(
    due.map(({ effect, row }) => [effect.effect_id, effect.attempts, effect.state, row.nodeIndex]),
    selection
      .toSorted((a, b) => effectRank(effects, a) - effectRank(effects, b))
      .map(({ effect_id }) => [effect_id, 1, 'PENDING', receipt.node_index]),
  )
  assert.deepEqual(new Set(due.map(({ effect }) => effect.step)), new Set([1, 2, 3]))
  sink.code = () => null
  assert.equal((await drained()).attempted, 3)
  assert.equal(sink.arrived.length, 3)
})

const effectRank = (effects: Awaited<ReturnType<typeof effectsIn>>, { effect_id }: { effect_id: string }): number =>
  effects.findIndex(({ effect }) => effect.effect_id === effect_id)

bothStores('the audit receipt says who, what and from how many attempts, in a chain of its own', async (ledger) => {
  await recordSteps(ledger, { count: 2 })
  const [clock, sink] = [movedClock(), listSink(() => 'EIO')]
  const { recover } = deskOn(ledger, clock, sink)
  const first = await recover(7)
  await kill(ledger, clock, sink)
  const second = await recover(7, {}, REVISION)
  assert.deepEqual([first.receipt.chain, first.receipt.prev], ['gdw-recovery', '0'.repeat(64)])
  assert.equal(second.receipt.prev !== first.receipt.prev, true)
  const { recovery_id, ...payload } = await payloadOf(ledger, second)
  assert.match(String(recovery_id), /^[0-9a-f-]{36}$/)
  assert.deepEqual(payload, {
    operation: 'recovery',
    key_id: 'operator-1',
    limit: 7,
    outcome: 'RESCHEDULED',
    source_revision: REVISION,
    expected_revision: REVISION,
    inspected: 2,
    eligible: 2,
    rescheduled: 2,
    revived_dead_letters: 2,
    eligible_remaining: 0,
    skipped: { claimed: 0, permanent: 0, unclassified: 0, recovery_limit: 0 },
    by_code: { EIO: 2 },
    selection_sha256: second.selection_sha256,
    attempts_before: { 8: 2 },
    attempts_after: { 7: 2 },
    key_kind: 'demo',
  })
})

/** Fails until everything is a dead letter. */
async function kill(ledger: Ledger, clock: MovedClock, sink: EffectSink): Promise<void> {
  const { drained } = deskOn(ledger, clock, sink)
  for (let n = 0; n < 8; n += 1) {
    await drained()
    clock.time += 400_000
  }
  for (const { effect } of await effectsIn(ledger)) assert.equal(effect.state, 'DEAD_LETTER')
}

bothStores('a dead letter has one more attempt three times, and then stays dead', async (ledger) => {
  await recordSteps(ledger, { count: 1 })
  const [clock, sink] = [movedClock(), listSink(() => 'ETIMEDOUT')]
  const { recover, drained } = deskOn(ledger, clock, sink)
  await kill(ledger, clock, sink)
  for (const revived of [1, 1, 1, 0]) {
    const report = await recover()
    assert.deepEqual([report.revived_dead_letters, report.skipped.recovery_limit], [revived, 1 - revived])
    assert.equal((await drained()).failed, revived)
    assert.equal((await effectsIn(ledger))[0]?.effect.state, 'DEAD_LETTER')
  }
})

bothStores(
  'what is held, refused for good or failed for an unknown reason is counted and left alone',
  async (ledger) => {
    for (const session of ['EACCES', 'WHAT', 'hangs']) await recordSteps(ledger, { count: 1, session })
    const [clock, sink] = [movedClock(), listSink()]
    const hanging = Promise.withResolvers<void>()
    const { recover, desk } = deskOn(ledger, clock, {
      ...sink,
      async deliver({ bytes }) {
        const { session_id } = JSON.parse(new TextDecoder().decode(bytes)) as { session_id: string }
        if (session_id === 'hangs') return hanging.promise
        throw Object.assign(new Error('refused'), { code: session_id })
      },
    })
    const draining = desk.drain(call(), 10)
    const isTried = ({ effect }: EffectDocument) =>
      effect.session_id === 'hangs' ? effect.state === 'CLAIMED' : effect.last_error !== null
    while (!(await effectsIn(ledger)).every(isTried));
    const before = await effectsIn(ledger)
    const report = await recover()
    assert.deepEqual(
      [report.status, report.inspected, report.eligible, report.skipped],
      ['NO_ELIGIBLE_EFFECTS', 3, 0, { claimed: 1, permanent: 1, unclassified: 1, recovery_limit: 0 }],
    )
    assert.deepEqual(await effectsIn(ledger), before)
    hanging.resolve()
    await draining
  },
)

bothStores('the same key gives the stored report, another limit or revision is a conflict', async (ledger) => {
  await recordSteps(ledger, { count: 2 })
  const [clock, sink] = [movedClock(), listSink(() => 'EIO')]
  const { recover, drained } = deskOn(ledger, clock, sink)
  await drained()
  const key = { 'idempotency-key': 'once' }
  const first = await recover(1, key, REVISION)
  assert.deepEqual(await recover(1, key, REVISION), first)
  await assert.rejects(recover(2, key, REVISION), codeIs('idempotency_conflict'))
  await assert.rejects(recover(1, key), codeIs('idempotency_conflict'))
  await assert.rejects(recover(1, key, 'b'.repeat(40)), codeIs('source_revision_mismatch'))
})

bothStores('nothing is repaired on records that do not hold, and a stored report is still given', async (ledger) => {
  await recordSteps(ledger, { count: 1 })
  const [clock, sink] = [movedClock(), listSink(() => 'EIO')]
  const key = { 'idempotency-key': 'kept' }
  const intact = deskOn(ledger, clock, sink)
  await intact.drained()
  const stored = await intact.recover(10, key)
  clock.time += 400_000
  await intact.drained()
  const before = [await effectsIn(ledger), (await ledger.reader.head()).size]
  const broken = deskOn(ledger, clock, sink, false)
  await assert.rejects(broken.recover(), codeIs('integrity_not_verified'))
  assert.deepEqual([await effectsIn(ledger), (await ledger.reader.head()).size], before)
  assert.deepEqual(await broken.recover(10, key), stored)
})

bothStores('recoveries at once bring each effect back once, and every one leaves its receipt', async (ledger) => {
  await recordSteps(ledger, { count: 40 })
  const [clock, sink] = [movedClock(), listSink(() => 'EIO')]
  const { recover, drained } = deskOn(ledger, clock, sink)
  await drained()
  const reports = await Promise.all(Array.from({ length: 6 }, () => recover(10)))
  const taken = reports.flatMap(({ selection }) => selection.map(({ effect_id }) => effect_id))
  assert.deepEqual([taken.length, new Set(taken).size], [40, 40])
  assert.equal(new Set(reports.map(({ receipt }) => receipt.digest)).size, 6)
})
