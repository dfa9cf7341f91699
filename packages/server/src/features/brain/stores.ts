/** How much there is in the stores, by a query made for the request that asks. */

import { measured, readingAsync, unavailable } from '@orch/core'
import { bodyOf } from '../../domain/stored-receipt.ts'
import type { LedgerReader } from '../../ledger/contract.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { runCheck } from '../../platform/run-check.ts'
import type { StoreCount, Stores } from './schemas.ts'

interface StoreSources {
  reader: Pick<LedgerReader, 'head' | 'chains' | 'countDocuments'>
  clock: Clock
  /** Null while it is still being counted. */
  claimsEvaluated(): Promise<number | null>
  /** Null where this build has no search. */
  searchDocuments: (() => Promise<number>) | null
  surfaces(): number
}

const LIMIT_MS = 1_000
const MAX_SESSIONS = 100_000
const ORGAN_CHAIN = /^n(?:[1-9]|1\d|2[0-5])$/

interface Count {
  value: number | null
  reason?: string
  isLowerBound?: boolean
}

export async function countStores(sources: StoreSources): Promise<Stores> {
  const { reader, clock, claimsEvaluated, searchDocuments, surfaces } = sources
  const count = (source: string, query: () => Promise<Count>) => countOne(source, clock, query)
  const [receipts, chains, organ_runs, step_sessions, claims_evaluated, search_documents, catalogue] =
    await Promise.all([
      count('head of the ledger', async () => ({ value: (await reader.head()).size })),
      count('chains of the ledger', async () => ({ value: (await reader.chains()).length })),
      count('receipts in the chains of the organs', async () => ({ value: organRuns(await reader.chains()) })),
      count('session documents', async () => {
        const value = await reader.countDocuments({ space: 'gdw.session' }, MAX_SESSIONS)
        return { value, isLowerBound: value >= MAX_SESSIONS }
      }),
      count('claim-evaluate receipts in the chains of the claims', async () => {
        const value = await claimsEvaluated()
        return value === null ? { value, reason: 'the chains are long and still being counted' } : { value }
      }),
      count('search index', async () =>
        searchDocuments === null
          ? { value: null, reason: 'this build has no search index' }
          : { value: await searchDocuments() },
      ),
      count('catalog of served operations', async () => ({ value: surfaces() })),
    ])
  return { receipts, chains, organ_runs, step_sessions, claims_evaluated, search_documents, surfaces: catalogue }
}

const organRuns = (chains: readonly { chain: string; depth: number }[]): number =>
  chains.filter(({ chain }) => ORGAN_CHAIN.test(chain)).reduce((sum, { depth }) => sum + depth, 0)

/** What a store threw stays inside: it may name hosts and files. */
async function countOne(source: string, clock: Clock, query: () => Promise<Count>): Promise<StoreCount> {
  const failed = (code: string): Count => ({
    value: null,
    reason: code === 'CHECK_TIMEOUT' ? `no answer within ${LIMIT_MS} ms` : 'the store did not answer',
  })
  const now = () => isoNow(clock)
  const taken = await readingAsync(
    source,
    now,
    async () => (await runCheck(query, { clock, ms: LIMIT_MS, failed })).found,
  )
  const { value, reason = 'nothing was read', isLowerBound = false } = taken.value
  if (value === null) return { ...unavailable(reason), is_lower_bound: false, source }
  return { value, is_lower_bound: isLowerBound, label: measured(taken).label, source, reason: null }
}

const CHAIN = 'claims'
const CHUNK = 250
/** Receipts looked at for one request: their bodies are read in the thread that serves. */
const MAX_WALKED = 500

/** Counts the evaluations among the receipts of the claims. The chains are walked once and then followed: a long ledger is
 *  counted over several requests, and until it is counted whole there is no figure. */
export class ClaimCount {
  readonly #reader: Pick<LedgerReader, 'chains' | 'chainRange'>
  readonly #walked = new Map<string, { next: number; evaluated: number }>()
  #turn: Promise<unknown> = Promise.resolve()

  constructor(reader: Pick<LedgerReader, 'chains' | 'chainRange'>) {
    this.#reader = reader
  }

  /** Requests take turns, so that no receipt is counted twice. */
  count(): Promise<number | null> {
    const counted = this.#turn.then(() => this.#count())
    this.#turn = counted.catch(() => undefined)
    return counted
  }

  async #count(): Promise<number | null> {
    const chains = (await this.#reader.chains()).filter(({ chain }) => chain === CHAIN)
    let left = MAX_WALKED
    for (const { ns, depth } of chains) left -= await this.#follow(ns, depth, left)
    const parts = chains.map(({ ns, depth }) => ({ depth, ...(this.#walked.get(ns) ?? { next: 0, evaluated: 0 }) }))
    return parts.every(({ next, depth }) => next >= depth)
      ? parts.reduce((sum, { evaluated }) => sum + evaluated, 0)
      : null
  }

  /** How many receipts were looked at. */
  async #follow(ns: string, depth: number, most: number): Promise<number> {
    let { next, evaluated } = this.#walked.get(ns) ?? { next: 0, evaluated: 0 }
    const begun = next
    while (next < depth && next - begun < most) {
      const wanted = Math.min(CHUNK, depth - next, most - (next - begun))
      const rows = await this.#reader.chainRange(ns, CHAIN, next, wanted)
      if (rows.length === 0) break
      evaluated += rows.filter((row) => bodyOf(row)?.kind === 'claim-evaluate').length
      next += rows.length
      this.#walked.set(ns, { next, evaluated })
    }
    return next - begun
  }
}
