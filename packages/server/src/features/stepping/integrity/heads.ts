/** The heads of sessions against what was walked: finds what was cut off an end, put behind it, or written beside it.
 *  Steps go on being recorded meanwhile, so the heads are read before the walk and asked again where it is ahead of
 *  them. */
import { sha256Hex } from '@orch/core'
import { AnyObject } from '../../../domain/wire.ts'
import type { DocumentRow, LedgerReader } from '../../../ledger/contract.ts'
import { readJson } from '../../../platform/shape.ts'
import type { StoredSession } from '../contract.ts'
import type { StoredHead } from '../rules/integrity.ts'
import type { SessionHead } from '../rules/integrity-faults.ts'
import { sessionName } from '../rules/state.ts'
import {
  COUNT_ALL,
  IDLE_MS,
  readStateNamed,
  receiptOf,
  SESSION_SPACE,
  STATE_SPACE,
  STEP_CHAIN,
} from '../store/session-documents.ts'
import { eventOf, hasOwnRank, type SessionEvent, sinceStep } from '../store/session-events.ts'
import type { EntryParts } from './entries.ts'
import type { ChainWalk } from './walk.ts'

const PAGE = 500
/** A node whose clock is ahead ends sessions early by as much. */
const SKEW_MS = 24 * 3_600_000

export interface HeadDocument {
  row: DocumentRow
  /** Null where it cannot be read. */
  head: StoredSession | null
  /** How many states were listed under the session. */
  states: number
}

/** `partition` null: everybody's. */
export async function readHeads(reader: LedgerReader, partition: string | null): Promise<HeadDocument[]> {
  const found: HeadDocument[] = []
  const owner = partition === null ? {} : { owner: partition }
  const filter = { space: SESSION_SPACE, ...owner, order: 'asc' as const, limit: PAGE }
  for (let after: DocumentRow | null = null; ; ) {
    const rows: DocumentRow[] = await reader.documents({ ...filter, ...(after === null ? {} : { after }) })
    const documents = rows.map(async (row) => {
      const owner = `${row.owner}/${row.key}`
      const states = await reader.countDocuments({ space: STATE_SPACE, owner }, COUNT_ALL)
      return { row, head: parseSession(row), states }
    })
    found.push(...(await Promise.all(documents)))
    if (rows.length < PAGE) return found
    after = rows.at(-1)!
  }
}

/** Null for what was written past the service: a head that says nothing is no head of any step. */
function parseSession({ value }: DocumentRow): StoredSession | null {
  const read = readJson(AnyObject, value)
  return read.ok ? (read.value as unknown as StoredSession) : null
}

export const countStates = (reader: LedgerReader): Promise<number> =>
  reader.countDocuments({ space: STATE_SPACE }, COUNT_ALL)

/** `before` are the heads of what is walked, as they were before it. */
export async function compareHeads(parts: EntryParts, walk: ChainWalk, before: readonly HeadDocument[]): Promise<void> {
  const walker = walk.asked
  const walked = new Map(walker.state().heads.map((head) => [head.session, head]))
  const known = new Map(before.map((stored) => [stored.row.key, stored]))
  const expected: StoredHead[] = []
  // Read together: one after the other, each would wait for its own turn of a busy loop.
  const heads = [...walked.values()]
  for (let at = 0; at < heads.length; at += PAGE) {
    const page = heads.slice(at, at + PAGE)
    const now = await Promise.all(page.map((head) => readCurrentHead(parts, walk, head, known.get(head.session))))
    expected.push(...now.filter((head) => head !== null))
  }
  const unwalked = [...known.values()].filter(({ row }) => !walked.has(row.key))
  walker.compareHeads([...expected, ...unwalked.map(({ row, head }) => shown(row, head))])
  for (const { row, states } of before)
    for (let extra = states - (walked.get(row.key)?.step ?? 0); extra > 0; extra--) walker.stray(row.key)
}

/** The head to compare with; null where it is gone. */
async function readCurrentHead(
  parts: EntryParts,
  walk: ChainWalk,
  walked: SessionHead,
  before: HeadDocument | undefined,
): Promise<StoredHead | null> {
  const row =
    before?.head?.step === walked.step ? before.row : await parts.reader.document(SESSION_SPACE, walked.session)
  if (row === null) return null
  const head = parseSession(row)
  if (head !== null && head.step > walked.step && (await isBeyond(parts.reader, walk, row.key, head)))
    return { ...walked, pending_reviews: waiting(walked), verdicts: [], intact: true }
  return readStoredHead(parts, walk.namespace, row, walked)
}

const waiting = ({ reviews }: SessionHead): number => reviews?.filter(({ approved }) => !approved).length ?? 0

/** With the receipts that led from the newest step to it. */
async function readStoredHead(
  { reader, check, now }: EntryParts,
  namespace: string,
  row: DocumentRow,
  walked: SessionHead,
): Promise<StoredHead> {
  const head = parseSession(row)
  const event = await eventOf(reader, row)
  const since = event && (await sinceStep(reader, check, row.key, event.row.digest))
  const verdicts = since?.receipt === walked.receipt_digest ? since.verdicts : null
  const intact = head !== null && event !== null && matchesEvent(event, namespace, row, head, now())
  return { ...shown(row, head), verdicts, intact }
}

/** All of it is what its receipt left, and it is listed as what it is. */
function matchesEvent(
  event: SessionEvent,
  namespace: string,
  row: DocumentRow,
  head: StoredSession,
  now: number,
): boolean {
  const owner = row.owner.slice(namespace.length + 1)
  const isOver = now - row.rank >= IDLE_MS - SKEW_MS
  return (
    event.row.ns === namespace &&
    event.session === row.key &&
    event.head === sha256Hex(row.value) &&
    row.owner.startsWith(`${namespace}/`) &&
    sessionName(namespace, owner, String(head.session_id).toWellFormed()) === row.key &&
    hasOwnRank(row) &&
    (row.state === 'ACTIVE' || (row.state === 'EXPIRED' && isOver))
  )
}

function shown({ key: session }: DocumentRow, head: StoredSession | null): StoredHead {
  const { step = -1, state_hash = '', spent = -1, budget = -1, granted = -1, pending_reviews = -1 } = head ?? {}
  return { session, step, state_hash, spent, budget, granted, pending_reviews, verdicts: null, intact: false }
}

/** Whether the step was recorded after the walk came to its end. */
async function isBeyond(reader: LedgerReader, walk: ChainWalk, session: string, head: StoredSession): Promise<boolean> {
  const stored = await readStateNamed(reader, session, head.step)
  if (stored?.state.state_hash !== head.state_hash) return false
  const receipt = await receiptOf(reader, stored.row)
  return receipt?.ns === walk.namespace && receipt.chain === STEP_CHAIN && receipt.seq >= walk.seq
}
