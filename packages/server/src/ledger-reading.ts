/** What is answered where receipts are read: look-ups, questions about many receipts, and the walks. The same in the
 *  reading thread and, for an in-memory ledger, in the thread that holds its only connection. */
import type { LedgerRecord } from '@orch/core'
import { systemClock } from './adapters/clock.ts'
import { LedgerAudit } from './ledger/audit.ts'
import { AuditRing } from './ledger/audit-ring.ts'
import { RecentWalk } from './ledger/recent-walk.ts'
import { withRecordedKinds } from './ledger/recorded-kinds.ts'
import { TurnQueue } from './ledger/turn-queue.ts'
import type { AuditBreak, LedgerReader, NewestWalk } from './ledger-contract.ts'
import { ledgerQueries } from './ledger-queries.ts'

export interface ReadingDeps {
  reader: LedgerReader
  /** What the ledger says of itself, null where the log key did not sign it. */
  record: () => Promise<LedgerRecord | null>
  vkey: string
  onBreak(broken: AuditBreak): void
}

export type Answer = (method: string, args: unknown[]) => Promise<unknown>

/** Begins to walk by itself at once. */
export function openReading({ reader, record, vkey, ...deps }: ReadingDeps): Answer {
  let told = false
  const onBreak = (broken: AuditBreak) => {
    if (!told) deps.onBreak(broken)
    told = true
  }
  const turns = new TurnQueue()
  const turn = () => turns.take()
  const monotonic = () => performance.now()
  const audit = new LedgerAudit(reader, record, monotonic, { turn, onBreak })
  const ring = new AuditRing(() => reader.keys(), record)
  const recent = new RecentWalk({
    ...{ reader, ring, turn, monotonic, onBreak },
    fullWalkAt: () => audit.fullWalkAt,
    knownBreaks: () => audit.breaks,
  })
  const recorded = withRecordedKinds(reader, vkey)
  const methods = {
    ...recorded,
    ...ledgerQueries(recorded, turn, () => new Date(systemClock.now()).toISOString()),
    audit: () => audit.report(),
    walk: (verifySignatures: boolean) => recent.report(verifySignatures),
    newestWalk: async (): Promise<NewestWalk> => ({ ...audit.newest(), walk: recent.newest }),
  } as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  audit.keepWalking()
  return (method, args) => methods[method]!(...args)
}
