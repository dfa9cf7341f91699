/** Energy as meters reported it while this request was served. */
import { measured, type Reading } from '@orch/core'
import type { MeterReading } from '../../ports.ts'

const METER_ENV = 'ORCH_ENERGY_METERS'

export function discloseEnergy(configured: number, answers: readonly MeterReading[]) {
  const entries = answers.flatMap((answer) => ('reading' in answer ? [entryOf(answer.meter, answer.reading)] : []))
  const errors = answers.flatMap((answer) => ('error' in answer ? [`${answer.meter}: ${answer.error}`] : []))
  return {
    energy_measured: entries,
    energy_disclosure: {
      meters_configured: configured,
      meter_env: METER_ENV,
      label: entries.length > 0 ? ('MEASURED' as const) : ('UNAVAILABLE' as const),
      note: noteOf(configured, entries.length),
      errors,
    },
  }
}
export type Energy = ReturnType<typeof discloseEnergy>

function entryOf(meter: string, reading: Reading<{ joules: number; at: string }>) {
  const { label, value, source, read_at } = measured(reading)
  return { meter, joules: value.joules, at: value.at, label, source, read_at }
}

function noteOf(configured: number, answered: number): string {
  if (configured === 0) return 'no meter is configured, so nothing is known of the energy used'
  if (answered === 0) return 'no meter answered with a reading in this request'
  return `${answered} of ${configured} meters answered in this request; the readings are theirs and bound to no receipt`
}
