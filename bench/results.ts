// The record of a run, and how numbers become ratios. Pure.
import type { Scenario } from './scenario.ts'
import type { Stamp } from './source.ts'

export interface Entry extends Stamp {
  value: number | null
  unit: string
  ratio_to: string | null
  ratio: number | null
  bar: number | null
  goal: number | null
  /** What is left of each round once that of the other scenario is taken off, and the most that may be. */
  added?: { to: string; value: number | null; most: number | null }
  /** The highest of the two that the ratio reached; null where there is none to reach or nothing was measured. */
  met: 'goal' | 'bar' | 'neither' | null
  rounds: number[]
  /** Why there is no value. */
  reason?: string
}

export interface Results {
  schema: 'orch.bench/v1'
  machine: { cores: number; arch: string; node: string }
  started_at: string
  results: Record<string, Entry>
}

export type Measured = ReadonlyMap<string, { values: number[]; reason?: string }>

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle]
  if (upper === undefined) return null
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2
}

/** Microseconds of what a service does by itself after so many requests, for each of them. */
export const backgroundUs = ({ catching_up_ms, requests }: { catching_up_ms: number; requests: number }): number =>
  (1_000 * catching_up_ms) / requests

export function entryOf(scenario: Scenario, measured: Measured, runAt: string): Entry {
  const own = measured.get(scenario.name) ?? { values: [] }
  const base = scenario.ratioTo === undefined ? undefined : measured.get(scenario.ratioTo)
  // Rounds stand side by side in time, so a machine that slows down slows both and the ratio of a pair stays honest.
  const ratio = base ? median(own.values.flatMap((one, at) => (base.values[at] ? [one / base.values[at]] : []))) : null
  const digits = scenario.digits ?? (scenario.addedTo === undefined ? 1 : 3)
  return {
    value: rounded(median(own.values), digits),
    unit: scenario.unit,
    ratio_to: scenario.ratioTo ?? null,
    ratio: rounded(ratio, 3),
    bar: scenario.bar ?? null,
    goal: scenario.goal ?? null,
    ...(scenario.addedTo === undefined ? {} : { added: addedOf(own.values, scenario, measured) }),
    met: metBy(ratio, scenario),
    rounds: own.values.map((value) => rounded(value, scenario.digits ?? 1) as number),
    ...(own.reason === undefined ? {} : { reason: own.reason }),
    run_at: runAt,
  }
}

function addedOf(own: readonly number[], { addedTo = '', most }: Scenario, measured: Measured): Entry['added'] {
  const base = measured.get(addedTo)?.values ?? []
  const left = own.flatMap((value, at) => (base[at] === undefined ? [] : [value - base[at]]))
  return { to: addedTo, value: rounded(median(left), 3), most: most ?? null }
}

function metBy(ratio: number | null, { bar, goal }: Scenario): Entry['met'] {
  if (ratio === null || (bar === undefined && goal === undefined)) return null
  if (goal !== undefined && ratio >= goal) return 'goal'
  return bar !== undefined && ratio >= bar ? 'bar' : 'neither'
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits))
}

/** A run of everything replaces the file; a narrowed run replaces its own entries, each saying when it was run. */
export function mergeResults(previous: Results | undefined, current: Results, narrowed: boolean): Results {
  // What other programs measured into the same file (the guards) stays; it says itself when that was.
  const merged = { ...previous, ...current }
  if (!narrowed || previous === undefined) return merged
  return { ...merged, results: { ...previous.results, ...current.results } }
}

export function tableOf({ results }: Results): string {
  const rows = Object.entries(results).map(([name, entry]) => [
    name,
    entry.value === null ? `UNAVAILABLE: ${entry.reason ?? 'not measured'}` : `${entry.value} ${entry.unit}`,
    entry.ratio === null ? '' : `${entry.ratio} of ${entry.ratio_to}`,
    entry.added === undefined
      ? ''
      : `${entry.added.value} ${entry.unit} over ${entry.added.to}, most ${entry.added.most}`,
    entry.met === null ? '' : `bar ${entry.bar ?? '-'}, goal ${entry.goal ?? '-'}: ${entry.met}`,
  ])
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => (row[at] as string).length)))
  return `${rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`
}
