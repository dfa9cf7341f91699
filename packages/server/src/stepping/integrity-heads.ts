/** The heads of sessions against what was walked: finds what was cut off an end, put behind it, or written beside it.
 *  Steps go on being recorded meanwhile, so the heads are read before the walk and asked again where it is ahead of
 *  them. */
import type { KeptHead } from '../domain/stepping/integrity.ts'
import type { SessionHead } from '../domain/stepping/integrity-faults.ts'
import type { DocumentRow, LedgerReader } from '../ledger-contract.ts'
import { type ChainWalk, STEP_CHAIN } from './integrity-walk.ts'
import { heldSession, readStateNamed, SESSION_SPACE, STATE_SPACE } from './session-documents.ts'

const PAGE = 500
/** Beyond every quota. */
const COUNTED = 2_000_000

export interface HeldHead {
  head: KeptHead
  sessionId: string
  /** `<namespace>/<owner>`. */
  partition: string
  /** How many states were listed under the session. */
  states: number
}

/** `partition` null: everybody's. */
export async function readHeads(reader: LedgerReader, partition: string | null): Promise<HeldHead[]> {
  const found: HeldHead[] = []
  const filter = { space: SESSION_SPACE, order: 'asc' as const, limit: PAGE }
  for (let after: DocumentRow | null = null; ; ) {
    const query = {
      ...filter,
      ...(partition === null ? {} : { owner: partition }),
      ...(after === null ? {} : { after }),
    }
    const rows: DocumentRow[] = await reader.documents(query)
    found.push(...(await Promise.all(rows.map((row) => heldHead(reader, row)))))
    if (rows.length < PAGE) return found
    after = rows.at(-1)!
  }
}

async function heldHead(reader: LedgerReader, row: DocumentRow): Promise<HeldHead> {
  const states = await reader.countDocuments({ space: STATE_SPACE, owner: `${row.owner}/${row.key}` }, COUNTED)
  return { head: headOf(row), sessionId: heldSession(row).session.session_id, partition: row.owner, states }
}

function headOf(row: DocumentRow): KeptHead {
  const { step, state_hash, spent, budget, granted } = heldSession(row).session
  return { session: row.key, step, state_hash, spent, budget, granted }
}

export const countStates = (reader: LedgerReader): Promise<number> =>
  reader.countDocuments({ space: STATE_SPACE }, COUNTED)

/** `before` are the heads of what is walked, as they were before it. */
export async function compareHeads(reader: LedgerReader, walk: ChainWalk, before: readonly HeldHead[]): Promise<void> {
  const walker = walk.asked
  const walked = new Map(walker.state().heads.map((head) => [head.session, head]))
  const known = new Map(before.map(({ head }) => [head.session, head]))
  const expected: KeptHead[] = []
  for (const head of walked.values()) {
    const now = await standing(reader, walk, head, known.get(head.session))
    if (now !== null) expected.push(now)
  }
  walker.compareHeads([...expected, ...[...known.values()].filter(({ session }) => !walked.has(session))])
  for (const { head, states } of before)
    for (let extra = states - (walked.get(head.session)?.step ?? 0); extra > 0; extra--) walker.stray(head.session)
}

/** The head to compare with; null where it is gone. */
async function standing(
  reader: LedgerReader,
  walk: ChainWalk,
  walked: SessionHead,
  before: KeptHead | undefined,
): Promise<KeptHead | null> {
  const now = before?.step === walked.step ? before : await currentHead(reader, walked.session)
  if (now === null || now.step <= walked.step) return now
  return (await isBeyond(reader, walk, now)) ? walked : now
}

async function currentHead(reader: LedgerReader, session: string): Promise<KeptHead | null> {
  const row = await reader.document(SESSION_SPACE, session)
  return row === null ? null : headOf(row)
}

/** Whether the step was recorded after the walk came to its end. */
async function isBeyond(reader: LedgerReader, walk: ChainWalk, head: KeptHead): Promise<boolean> {
  const held = await readStateNamed(reader, head.session, head.step)
  if (held?.state.state_hash !== head.state_hash || held.row.nodeIndex === null) return false
  const receipt = await reader.byIndex(held.row.nodeIndex)
  return receipt?.ns === walk.namespace && receipt.chain === STEP_CHAIN && receipt.seq >= walk.seq
}
