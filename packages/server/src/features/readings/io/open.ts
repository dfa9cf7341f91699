/** Puts the reader together: what is configured, what was read last, and when it is read. */
import type { Outbound } from '../../../adapters/outbound/contract.ts'
import type { Background, Clock, Ledger, Log } from '../../../ports.ts'
import type { Readings } from '../contract.ts'
import type { OwnPath } from './deployment.ts'
import { LatestReadings } from './latest.ts'
import { createReadings } from './readings.ts'
import { type RoundSettings, Scheduler } from './scheduler.ts'
import { type ReadingSettings, readingGroups, readingKeys } from './sources.ts'

interface Deps {
  ledger: Pick<Ledger, 'reader' | 'writeDocuments'>
  /** Its table holds the rows of `readingProviders`. */
  outbound: Outbound
  background: Background
  clock: Clock
  log: Log
  own: OwnPath
}

export interface OpenReadings {
  port: Readings
  stop(): Promise<void>
}

export async function openReadings(
  settings: ReadingSettings & RoundSettings,
  { ledger, outbound, background, clock, log, own }: Deps,
): Promise<OpenReadings> {
  const latest = new LatestReadings(clock)
  const groups = readingGroups(settings, outbound, latest)
  const keys = readingKeys(settings)
  const { cache } = outbound
  const scheduler = new Scheduler({ groups, keys, latest, cache, ledger, background, clock, log }, settings)
  await scheduler.start()
  const { intervalMs } = settings
  const port = createReadings({ settings, intervalMs, latest, scheduler, outbound, own, clock })
  return { port, stop: () => scheduler.stop() }
}
