/** Opens the heartbeat over the counters of the process and the stores of the service. */
import { setTimeout as pause } from 'node:timers/promises'
import { measured, readingAsync, unavailable } from '@orch/core'
import { readCounters } from '../../adapters/meters/powercap.ts'
import type { Config } from '../../config/config.ts'
import { isoNow } from '../../platform/clock.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { Ports, Runtime, ServedCalls } from '../../ports.ts'
import { type EnergyCounter, joulesBetween } from './energy.ts'
import { readProcess } from './io/process.ts'
import { type BrainPort, type PulseSources, shareOf, takePulse } from './pulse.ts'
import type { Energy } from './schemas.ts'
import { ClaimCount, countStores } from './stores.ts'
import { listSurfaces } from './surfaces.ts'

const ENERGY_WINDOW_MS = 100
const ENERGY_SOURCE = 'powercap energy_uj of the processor packages'

interface Needs extends Pick<Ports, 'clock' | 'ledger' | 'catalog'> {
  runtime: Runtime
  calls: ServedCalls
  activeOrgans(nowMs: number): number
  searchDocuments: (() => Promise<number>) | null
  counters?: () => Promise<readonly EnergyCounter[]>
}

export function openBrain(
  { surfaceCapacity, surfaceWeights }: Pick<Config, 'surfaceCapacity' | 'surfaceWeights'>,
  needs: Needs,
): { brain: BrainPort } {
  const { clock, ledger, catalog, runtime, calls, searchDocuments, counters = readCounters } = needs
  const { reader } = ledger
  const surfaces = () => listSurfaces(catalog, calls.series())
  const claims = new ClaimCount(reader)
  const sources: PulseSources = {
    clock,
    process: () => readProcess(runtime, clock),
    stores: () =>
      countStores({
        ...{ reader, clock, searchDocuments },
        claimsEvaluated: () => claims.count(),
        surfaces: () => surfaces().length,
      }),
    // The counters are looked at once for all who wait: the window ends after the last of them began to wait.
    energy: singleFlight(() => measureEnergy(counters, needs)),
    surfaces,
    activeOrgans: () => needs.activeOrgans(clock.monotonic()),
    windowSeconds: calls.recentSeconds,
    capacity: surfaceCapacity,
    weights: surfaceWeights ?? {},
  }
  return { brain: { pulse: () => takePulse(sources), subscribe: (id) => shareOf(id, sources) } }
}

async function measureEnergy(
  counters: NonNullable<Needs['counters']>,
  { clock }: Pick<Needs, 'clock'>,
): Promise<Energy> {
  const before = await counters()
  if (before.length === 0) return absent('no energy counter of the processor may be read on this machine')
  const taken = await readingAsync(
    ENERGY_SOURCE,
    () => isoNow(clock),
    async () => {
      const begun = clock.monotonic()
      await pause(ENERGY_WINDOW_MS)
      const after = await counters()
      return { joules: joulesBetween(before, after), window_s: (clock.monotonic() - begun) / 1000 }
    },
  )
  const { joules, window_s } = taken.value
  if (joules === null) return absent('the energy counters did not answer a second time')
  return {
    joules,
    window_s,
    watts: joules / window_s,
    label: measured(taken).label,
    source: ENERGY_SOURCE,
    reason: null,
  }
}

function absent(reason: string): Energy {
  const { label } = unavailable(reason)
  return { joules: null, window_s: null, watts: null, label, source: ENERGY_SOURCE, reason }
}
