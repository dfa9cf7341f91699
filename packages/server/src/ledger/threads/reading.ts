/** What is answered where receipts are read: look-ups, questions about many receipts, and the walks. The same in the
 *  reading thread and, for an in-memory ledger, in the thread that holds its only connection. */
import type { LedgerRecord } from '@orch/core'
import { systemClock } from '../../platform/clock.ts'
import { LedgerAudit } from '../audit/audit.ts'
import { KnownBreaks, noticingBreaks } from '../audit/known-breaks.ts'
import { RecentWalk } from '../audit/recent-walk.ts'
import { AuditRing, ringBreak } from '../audit/ring.ts'
import type { AuditBreak, LedgerReader, NewestWalk, WalkFigures } from '../contract.ts'
import { withRecordedKinds } from '../recorded-kinds.ts'
import { TurnQueue } from '../turn-queue.ts'
import { ledgerQueries } from './queries.ts'

interface ReadingDeps {
  reader: LedgerReader
  /** What the ledger says of itself, null where the log key did not sign it. */
  record: () => Promise<LedgerRecord | null>
  vkey: string
  onBreak(broken: AuditBreak): void
}

export type Answer = (method: string, args: unknown[]) => Promise<unknown>

/** Begins to walk by itself at once. */
export function openReading({ reader, record, vkey, ...deps }: ReadingDeps): Answer {
  const known = new KnownBreaks(deps.onBreak)
  const turns = new TurnQueue()
  const turn = () => turns.take()
  const monotonic = () => performance.now()
  const audit = new LedgerAudit(reader, record, monotonic, { turn, known })
  const ring = new AuditRing(() => reader.keys(), record)
  const recent = new RecentWalk({
    ...{ reader, ring, turn, monotonic, known },
    fullWalkAt: () => audit.fullWalkAt,
  })
  const recorded = withRecordedKinds(noticingBreaks(reader, known), vkey, (sentence) => known.add(ringBreak(sentence)))
  const methods = {
    ...recorded,
    ...ledgerQueries(recorded, turn, () => new Date(systemClock.now()).toISOString()),
    sessionCharge: async (ns: string, owner: string, session: string) => audit.charged(ns, owner, session),
    audit: () => audit.report(),
    walk: (verifySignatures: boolean) => recent.report(verifySignatures),
    newestWalk: async () => newestOf(audit.newest(), recent.newest),
    reportBreak: async (broken: AuditBreak) => known.add(broken),
  } as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  audit.keepWalking()
  return (method, args) => methods[method]!(...args)
}

/** The figures of the walk that began last. */
const newestOf = (toAuditedChain: NewestWalk, recent: WalkFigures | null): NewestWalk =>
  recent === null || recent.walked_at < toAuditedChain.walk.walked_at
    ? toAuditedChain
    : { ...toAuditedChain, walk: recent }
