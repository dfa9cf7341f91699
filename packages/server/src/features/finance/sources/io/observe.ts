/** Asks the sources through the one way out, and remembers how the newest attempt at each of them ended. */
import { type ApartReply, normaliseBy } from '../../../../adapters/outbound/apart.ts'
import type { Outbound, Provider } from '../../../../adapters/outbound/contract.ts'
import type { SourceId } from '../../../../domain/observation.ts'
import { type Clock, isoNow } from '../../../../platform/clock.ts'
import type { Compute } from '../../../../platform/compute/compute.ts'
import type { Observe } from '../../contract.ts'
import { adapterVersion, type SourceOutcome, toObservation } from '../observation.ts'
import { readParameters } from '../parameters.ts'
import type { LastAttempt } from '../providers-report.ts'
import type { Plan, Source } from '../source.ts'
import type { SourceTable } from '../table.ts'
import { normaliseReply, type PlanParams } from './normalise.ts'

interface Needs {
  outbound: Pick<Outbound, 'get'>
  clock: Pick<Clock, 'now'>
  providers: readonly Provider[]
  /** 40 hex digits, or `UNBOUND`. */
  revision: string
  /** Of the table. */
  alpacaFeed: string
  compute: Pick<Compute, 'register'>
}

const MODULE = new URL('./normalise.ts', import.meta.url)
const JOB_MS = 10_000

export function openObserve(table: SourceTable, { outbound, clock, providers, revision, alpacaFeed, compute }: Needs) {
  const job = compute.register<PlanParams & { bytes_sha256: string }, ApartReply<object>>({
    ...{ name: 'finance-normalise', module: MODULE, function: 'normaliseLarge', deadlineMs: JOB_MS },
  })
  const attempts = new Map<SourceId, LastAttempt>()
  const rows = new Map(providers.map((row) => [row.id, row]))

  const observe: Observe = async (id, parameters, { fresh = false, signal }) => {
    const source = table.get(id)!
    const [values, now] = [readParameters(source.parameters, parameters), clock.now()]
    const plan = source.plan(values, now)
    const normaliseApart = normaliseBy(job, { source: id, values: { ...values }, now, alpacaFeed })
    const limits = { ...limitsFor(source, plan), normaliseApart, fresh }
    const outcome = await outbound.get<object>(source.provider, plan.path, plan.query, limits, signal)
    const servedAt = isoNow(clock)
    if (wasAttempted(outcome)) attempts.set(id, { ...endOf(outcome), at: servedAt })
    const { origins, overridden } = rows.get(source.provider)!
    const asked = { source, origin: origins[0]!, overridden, path: plan.path, query: plan.query, revision, servedAt }
    return toObservation(outcome, asked, plan.select)
  }
  return { observe, lastAttempt: (id: SourceId): LastAttempt | null => attempts.get(id) ?? null }
}

const limitsFor = (source: Source, plan: Plan) => ({
  normalise: (reply: unknown): object => normaliseReply(plan, reply),
  ttlSeconds: source.ttlSeconds,
  adapterVersion: adapterVersion(source),
  decimals: true as const,
  ...(plan.members === undefined ? {} : { members: plan.members }),
  ...(source.maxBytes === undefined ? {} : { maxBytes: source.maxBytes }),
})

/** What came from the cache, and what was never sent, says nothing of the other side. */
const wasAttempted = (outcome: SourceOutcome): boolean =>
  outcome.ok ? outcome.state === 'SNAPSHOT' : !(outcome.state === 'STALE' ? outcome.failure.unasked : outcome.unasked)

const endOf = (outcome: SourceOutcome): Omit<LastAttempt, 'at'> => {
  const { ok, state } = outcome
  return { state, ok, error: outcome.ok ? null : outcome.state === 'STALE' ? outcome.failure.code : outcome.code }
}
