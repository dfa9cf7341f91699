/** How governed stepping stands, for whoever scrapes it. What the store does not tell has no value: metrics are read when
 *  things are broken, and a number that nobody read is not shown. */
import type { LedgerReader } from '../../ledger/contract.ts'
import type { Effects, SteppingGauges } from './contract.ts'
import { TO_THE_END } from './counting.ts'
import { usedByAll } from './quotas.ts'
import { IDLE_MS, SESSION_SPACE } from './store/session-documents.ts'

type Readable = { [Name in keyof SteppingGauges]: SteppingGauges[Name] | null }

export async function steppingGauges(
  reader: LedgerReader,
  effects: Pick<Effects, 'counts' | 'status'>,
  now: number,
  isReady: () => boolean,
): Promise<Readable> {
  const [counts, status, sessions, reviewsPending] = await Promise.all([
    effects.counts().catch(unread),
    effects.status().catch(unread),
    lifecycles(reader, now).catch(unread),
    usedByAll(reader, 'reviews').catch(unread),
  ])
  const oldestPendingSeconds = status?.lag_seconds ?? null
  return { effects: counts, oldestPendingSeconds, sessions, reviewsPending, writeReady: isReady() }
}

const unread = (): null => null

async function lifecycles(reader: LedgerReader, now: number): Promise<SteppingGauges['sessions']> {
  const [all, idle] = await Promise.all([
    reader.countDocuments({ space: SESSION_SPACE }, TO_THE_END),
    reader.countDocuments({ space: SESSION_SPACE, upTo: now - IDLE_MS }, TO_THE_END),
  ])
  return { ACTIVE: all - idle, EXPIRED: idle }
}
