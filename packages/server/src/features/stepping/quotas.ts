/** What an owner, and everybody together, may take up. Counted in the transaction that takes it. */
import { documentKey } from '../../domain/document-key.ts'
import { type Partition, partitionName } from '../../domain/partition.ts'
import { ServiceError } from '../../errors.ts'
import type { CounterMove, LedgerReader } from '../../ledger/contract.ts'
import type { BenchReply } from './read-schemas.ts'

export const QUOTAS = ['sessions', 'steps', 'effects', 'reviews', 'bytes'] as const
export type Quota = (typeof QUOTAS)[number]

export type QuotaLimits = BenchReply['quotas']

const MIB = 1_048_576
export const QUOTA_LIMITS: QuotaLimits = {
  owner: { sessions: 1_000, steps: 100_000, effects: 10_000, reviews: 1_000, bytes: 256 * MIB },
  global: { sessions: 10_000, steps: 1_000_000, effects: 100_000, reviews: 10_000, bytes: 2_048 * MIB },
}

/** The shipped limits with those an operator sets instead. */
export function quotaLimits(set: Partial<Record<Quota, { owner: number; global: number }>> | null): QuotaLimits {
  const of = (scope: 'owner' | 'global') =>
    Object.fromEntries(QUOTAS.map((quota) => [quota, set?.[quota]?.[scope] ?? QUOTA_LIMITS[scope][quota]]))
  return { owner: of('owner'), global: of('global') } as QuotaLimits
}

/** Where there is one owner, he may have everything. */
export const limitsFor = (limits: QuotaLimits, authMode: string): QuotaLimits =>
  authMode === 'registry' ? limits : { owner: limits.global, global: limits.global }

const SPACE = 'gdw.quota.'
const spaceOf = (quota: Quota): string => `${SPACE}${quota}`
const ownerKey = ({ namespace, owner }: Partition): string => documentKey('owner', namespace, owner)
const GLOBAL_KEY = documentKey('global')

/** Seconds after which there may be room: effects leave with the outbox, reviews with people. The others have to be asked
 *  for. */
const RETRY_AFTER: Record<Quota, number> = { sessions: 86_400, steps: 86_400, effects: 5, reviews: 60, bytes: 86_400 }

export type Usage = Partial<Record<Quota, number>>

/** Less than 0 gives back. */
export function quotaMoves(partition: Partition, usage: Usage, limits: QuotaLimits): CounterMove[] {
  const own = { key: ownerKey(partition), owner: partitionName(partition) }
  return QUOTAS.filter((quota) => (usage[quota] ?? 0) !== 0).flatMap((quota) => {
    const move = { space: spaceOf(quota), add: usage[quota] ?? 0, retryAfter: RETRY_AFTER[quota] }
    return [
      { ...move, ...own, limit: limits.owner[quota] },
      { ...move, key: GLOBAL_KEY, owner: '', limit: limits.global[quota] },
    ]
  })
}

/** What is given back needs no room. */
export const givenBack = (partition: Partition, usage: Usage): CounterMove[] =>
  quotaMoves(
    partition,
    Object.fromEntries(Object.entries(usage).map(([quota, count]) => [quota, -count])),
    QUOTA_LIMITS,
  )

export interface StepsLeft {
  remaining: number
  scope: 'owner' | 'global'
}

/** How many more steps may be recorded, by the tighter of the two limits. */
export async function remainingSteps(
  reader: LedgerReader,
  partition: Partition,
  limits: QuotaLimits,
): Promise<StepsLeft> {
  const [own, all] = await reader.counters(spaceOf('steps'), [ownerKey(partition), GLOBAL_KEY])
  const [owner, global] = [limits.owner.steps - own!, limits.global.steps - all!]
  return owner <= global ? { remaining: owner, scope: 'owner' } : { remaining: global, scope: 'global' }
}

/** What everybody together has taken up. */
export const usedByAll = (reader: LedgerReader, quota: Quota): Promise<number> =>
  reader.counter(spaceOf(quota), GLOBAL_KEY)

/** The refusal that names the quota; `limit` as it stands. */
export const quotaExceeded = (quota: Quota, scope: 'owner' | 'global', limit: number): ServiceError =>
  new ServiceError('quota_exceeded', `the quota of ${quota} is used up; nothing was recorded`, {
    headers: { 'retry-after': String(RETRY_AFTER[quota]) },
    extra: { quota, scope, limit },
  })

/** A refusal of the store, which knows counters by their places, in the words of this service. */
export function namedQuota(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'quota_exceeded') return error
  const place = error.extra.quota as { space?: string; key?: string; limit?: number } | undefined
  const quota = QUOTAS.find((name) => place?.space === spaceOf(name))
  if (quota === undefined) return error
  return quotaExceeded(quota, place?.key === GLOBAL_KEY ? 'global' : 'owner', place?.limit ?? 0)
}
