/** What the processor's packages used between two looks at the kernel's counters. */
import { counterDelta } from '../../domain/counter-delta.ts'

export interface EnergyCounter {
  zone: string
  name: string
  /** Microjoules; starts again at `range`. */
  energy: bigint
  range: bigint
}

/** Joules of all packages; null where no counter was there both times. A package that two interfaces show is counted
 *  once, and the platform as a whole, which holds the packages, is not counted beside them. */
export function joulesBetween(before: readonly EnergyCounter[], after: readonly EnergyCounter[]): number | null {
  const seen = new Set<string>()
  let [sum, counted] = [0n, 0]
  for (const { zone, name, energy, range } of before) {
    const later = after.find((counter) => counter.zone === zone)
    if (name === 'psys' || seen.has(name) || later === undefined) continue
    seen.add(name)
    sum += counterDelta(energy, later.energy, range)
    counted += 1
  }
  return counted === 0 ? null : Number(sum) / 1e6
}
