/** Puts the reader together: what is configured, what is kept, and when it is read. */

import type { OutboundSettings } from '../../../adapters/outbound/json-exchange.ts'
import type { Background, Clock, Ledger, Log } from '../../../ports.ts'
import type { Measure, Readings } from '../contract.ts'
import { Kept } from './cache.ts'
import { outside } from './client.ts'
import type { OwnPath } from './deployment.ts'
import { readingsOf } from './readings.ts'
import { type RoundSettings, Rounds } from './scheduler.ts'
import { SnapshotStore } from './snapshot.ts'
import { groupsOf, type ReadingSettings } from './sources.ts'

interface Deps {
  ledger: Pick<Ledger, 'reader' | 'writeDocuments'>
  background: Background
  clock: Clock
  log: Log
  own: OwnPath
  /** Puts meters around what is asked of the outside. */
  measure?: Measure
}

export interface OpenReadings {
  port: Readings
  stop(): Promise<void>
}

export async function openReadings(
  settings: ReadingSettings & RoundSettings & { outbound: OutboundSettings },
  { ledger, background, clock, log, own, measure = (_, call) => call() }: Deps,
): Promise<OpenReadings> {
  const kept = new Kept(clock)
  const others = outside(settings.outbound, clock, measure)
  const groups = groupsOf(settings, others, kept)
  const store = new SnapshotStore(ledger, clock)
  const rounds = new Rounds({ groups, kept, store, background, clock, log }, settings)
  await rounds.start()
  const { intervalMs } = settings
  const port = readingsOf({ settings, intervalMs, kept, rounds, outside: others, own, clock })
  return { port, stop: () => rounds.stop() }
}
