/** What a session has spent of its risk in govern, inference, proxy and agent; stepping keeps a budget of its own in
 *  `features/stepping/rules/budget.ts`. The charge is written with the receipt of the decision, or before a model is called
 *  that cannot be uncalled (`Recorder.commitBefore`); either way only if the document is still at the version that was
 *  read, so that calls in parallel never spend the same unit twice. */
import { type ReceiptBody, SAME_SESSION_MS, spend } from '@orch/core'
import { documentKey } from '../domain/document-key.ts'
import { type Partition, partitionName } from '../domain/partition.ts'
import { isRecord } from '../domain/stored-receipt.ts'
import { ServiceError } from '../errors.ts'
import type { DocumentRow, DocumentWrite, LedgerQueries, LedgerReader } from '../ledger/contract.ts'
import { type ReceiptSource, verified } from './proving-receipts.ts'

export const BUDGET_SPACE = 'session-budget'
const SESSION = /^[0-9a-f]{64}$/
export const IDLE_MS = 24 * 3_600_000

interface BudgetSource extends ReceiptSource {
  queries: Pick<LedgerQueries, 'sessionCharge'>
}

export interface BudgetDocument {
  key: string
  version: number
  spent: number
}

export async function readBudget(
  source: BudgetSource,
  { namespace, owner }: Partition,
  session: string,
  now: number,
): Promise<BudgetDocument> {
  const key = documentKey(namespace, owner, session)
  // Asked before the document is read: what is charged meanwhile is in the document then.
  const walked = await source.queries.sessionCharge(namespace, owner, key)
  const minimum = walked !== null && now - walked.at < SAME_SESSION_MS ? walked.spent : 0
  const row = await source.reader.document(BUDGET_SPACE, key)
  if (row === null && minimum > 0) throw altered()
  if (row === null) return { key, version: 0, spent: 0 }
  const { spent_micro } = JSON.parse(row.value) as { spent_micro: number }
  const charged = await chargedBy(source, row)
  if (!(spent_micro >= Math.max(charged.spent, minimum))) throw altered()
  return { key, version: row.version, spent: isIdle(row, charged, now) ? 0 : spent_micro }
}

export interface Charged {
  spent: number
  /** When, in milliseconds since the epoch. */
  at: number
}

/** The rank is when it was charged last, receipt or not, and can be edited; the time in a receipt cannot. */
const isIdle = ({ rank }: DocumentRow, { at }: Charged, now: number): boolean => now - Math.max(rank, at) >= IDLE_MS

/** What the newest receipt of the session says at least. What was reserved since stands in the document alone, so a
 *  document may say more; one that says less was edited. A document that names no receipt was only reserved so far: it is
 *  held to what the walk has seen of the session, and a walk that comes later finds a charge that does not continue the
 *  one before. */
async function chargedBy(source: ReceiptSource, { key, nodeIndex }: DocumentRow): Promise<Charged> {
  if (nodeIndex === null) return { spent: 0, at: 0 }
  const body = await verified(source, await source.reader.byIndex(nodeIndex))
  if (body === null) throw altered()
  const charge = chargeIn(body)
  if (charge?.session !== key) throw altered()
  return charge
}

/** The charge that a receipt states; null for a receipt without one. Of a request without a body it stands one level
 *  deeper. What a caller minted states nothing. */
export function chargeIn({ kind, payload, ts_utc }: ReceiptBody): (Charged & { session: string }) | null {
  const said = kind === 'example' ? payload.value : kind === 'mint' ? null : payload
  const charge = isRecord(said) ? said.session_budget : null
  if (!isRecord(charge)) return null
  const { session, spent_after: spent } = charge
  // An import reads receipts of anybody who hands over a file.
  const isCharge = typeof session === 'string' && SESSION.test(session) && Number.isSafeInteger(spent)
  return isCharge ? { session, spent: Number(spent), at: Date.parse(ts_utc) } : null
}

export const budgetText = (spent: number): string => JSON.stringify({ spent_micro: spent })

function nullIfAltered(error: unknown): null {
  if (error instanceof ServiceError) return null
  throw error
}

const altered = () =>
  new ServiceError('stored_record_altered', 'the budget of this session is not what its receipt says')

/** A charge that does not fit takes what is left: from then on every charge goes to a person. F19 refuses a charge that
 *  would lower what was spent. A limit may have been lowered since: what was spent stays spent. */
export function spentAfter(stored: BudgetDocument, spent: number, limit: number): number {
  const budget = { spent: BigInt(stored.spent), cap: BigInt(Math.max(limit, stored.spent)) }
  const [charge, left] = [BigInt(spent) - budget.spent, budget.cap - budget.spent]
  return Number(spend(budget, charge > left ? left : charge).spent)
}

/** Denied calls pay as well. */
export const budgetWrite = (
  { key, version }: BudgetDocument,
  owner: Partition,
  spent: number,
  now: number,
): DocumentWrite => ({
  space: BUDGET_SPACE,
  key,
  expect: version,
  owner: partitionName(owner),
  state: 'open',
  rank: now,
  value: budgetText(spent),
})

/** Counted no further than 10,001; those idle for a day leave with the next sweep. */
export const activeSessions = (reader: LedgerReader): Promise<number> => reader.countDocuments({ space: BUDGET_SPACE })

/** Sessions that have been idle for a day, by their receipts too, oldest first, ready to be removed. */
export async function idleBudgets(source: ReceiptSource, now: number, limit: number): Promise<DocumentWrite[]> {
  const rows = await source.reader.documents({ space: BUDGET_SPACE, order: 'asc', limit })
  const old = rows.filter(({ rank }) => now - rank >= IDLE_MS)
  const charges = await Promise.all(old.map((row) => chargedBy(source, row).catch(nullIfAltered)))
  return old
    .filter((row, at) => charges[at] != null && isIdle(row, charges[at], now))
    .map(({ space, key, version: expect, owner, state, rank }) => ({
      space,
      key,
      expect,
      owner,
      state,
      rank,
      value: null,
    }))
}
