/** What is answered where receipts are read: look-ups, questions about many receipts, and the walks. The same in the
 *  reading thread and, for an in-memory ledger, in the thread that holds its only connection. */
import { type LedgerRecord, mayGoUnsigned } from '@orch/core'
import { runFormulas } from '../../domain/formulas.ts'
import { replayPage, tailPage } from '../../domain/receipts/events.ts'
import { governancePage } from '../../domain/receipts/governance-page.ts'
import { LocalSpend } from '../../domain/receipts/local-spend.ts'
import { countOutcomes } from '../../domain/receipts/outcomes.ts'
import { lakePageOf, newestOf, pageOf } from '../../domain/receipts/page.ts'
import { PayloadDigests } from '../../domain/receipts/payload-digests.ts'
import { searchText } from '../../domain/receipts/text-search.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { seesNamespace } from '../../domain/visibility.ts'
import { systemClock } from '../../platform/clock.ts'
import { turnQueue } from '../../platform/turn-queue.ts'
import { LedgerAudit } from '../audit/audit.ts'
import { KnownBreaks, noticingBreaks } from '../audit/known-breaks.ts'
import { AuditRing, ringBreak } from '../audit/own-record.ts'
import { RecentWalk } from '../audit/recent-walk.ts'
import type { AuditBreak, LedgerQueries, LedgerReader, NewestWalk, WalkFigures } from '../contract.ts'
import { withRecordedKinds } from '../recorded-kinds.ts'

interface ReadingDeps {
  reader: LedgerReader
  /** What the ledger says of itself, null where the log key did not sign it. */
  record: () => Promise<LedgerRecord | null>
  vkey: string
  onBreak(broken: AuditBreak): void
}

/** Hundreds of event streams may wait at once; a walk is one, however many requests share it. */
type TurnKind = 'walk' | 'question' | 'stream'

export type Answer = (method: string, args: unknown[]) => Promise<unknown>

/** Begins to walk by itself at once. */
export function openReading({ reader, record, vkey, ...deps }: ReadingDeps): Answer {
  const known = new KnownBreaks(deps.onBreak)
  const turn = turnQueue<TurnKind>()
  const walkTurn = () => turn('walk')
  const monotonic = () => performance.now()
  const audit = new LedgerAudit(reader, record, monotonic, { turn: walkTurn, known })
  const ring = new AuditRing(() => reader.keys(), record)
  const recent = new RecentWalk({ reader, ring, turn: walkTurn, monotonic, known, fullWalkAt: () => audit.fullWalkAt })
  const recorded = withRecordedKinds(noticingBreaks(reader, known), vkey, (sentence) => known.add(ringBreak(sentence)))
  const methods = {
    ...recorded,
    ...ledgerQueries(recorded, turn, () => new Date(systemClock.now()).toISOString()),
    sessionCharge: async (ns: string, owner: string, session: string) => audit.charged(ns, owner, session),
    audit: () => audit.report(),
    walk: (verifySignatures: boolean) => recent.report(verifySignatures),
    newestWalk: async () => newestWalkOf(audit.newest(), recent.newest),
    reportBreak: async (broken: AuditBreak) => known.add(broken),
  } as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  audit.keepWalking()
  return (method, args) => methods[method]!(...args)
}

/** The figures of the walk that began last. */
const newestWalkOf = (audited: NewestWalk, recent: WalkFigures | null): NewestWalk =>
  recent === null || recent.walked_at < audited.walk.walked_at ? audited : { ...audited, walk: recent }

/** How far back a receipt that is no sample is looked for. */
const MAX_SAMPLES = 250

/** Questions about many receipts that need the receipts alone. All of them read by chunks and take turns: between two
 *  chunks of whatever question, look-ups that came meanwhile are answered, so none waits for a scan to end. */
function ledgerQueries(
  direct: LedgerReader,
  turn: (kind: TurnKind) => Promise<void>,
  now: () => string,
): Omit<LedgerQueries, 'sessionCharge'> {
  const takingTurns = (kind: TurnKind): LedgerReader => ({
    ...direct,
    range: (from, limit) => turn(kind).then(() => direct.range(from, limit)),
    chainRange: (ns, chain, from, limit) => turn(kind).then(() => direct.chainRange(ns, chain, from, limit)),
  })
  const reader = takingTurns('question')
  const streams = takingTurns('stream')
  const spend = new LocalSpend(() => reader)
  const payloads = new PayloadDigests({ reader })
  return {
    receiptPage: (viewer, request) => pageOf(reader, viewer, request),
    lakePage: (viewer, request) => lakePageOf(reader, viewer, request),
    newestReceipts: (viewer, limit, size) => newestOf(reader, viewer, limit, size),
    newestSigned: () => newestSigned(reader),
    outcomes: (viewer, request) => countOutcomes(reader, viewer, request),
    governancePage: (viewer, limit) => governancePage(reader, viewer, limit),
    localSpend: (viewer) => spend.count((ns) => seesNamespace(viewer, ns)),
    payloadHolders: (viewer, digests) => payloads.find(viewer, digests),
    searchText: (text, from, tree) => searchText(reader, text, from, tree),
    eventReplay: (wanted, from) => replayPage(streams, wanted, from),
    eventTail: (wanted, from) => tailPage(streams, wanted, from),
    runFormulas: () => runFormulas(now, () => turn('question')),
  }
}

/** Past simulated samples, which nobody signs; if there is nothing else that near, the newest of them. */
async function newestSigned(reader: LedgerReader) {
  const { size } = await reader.head()
  const rows = (await reader.range(Math.max(0, size - MAX_SAMPLES), MAX_SAMPLES)).reverse()
  const isSample = (row: (typeof rows)[number]): boolean => {
    const body = bodyOf(row)
    return body !== null && mayGoUnsigned(body)
  }
  return rows.find((row) => row.signature !== null || !isSample(row)) ?? rows[0] ?? null
}
