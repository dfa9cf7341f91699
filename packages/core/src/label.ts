// Honesty labels as types. MEASURED and LIVE cannot be written down: they are made from a reading, and a reading is
// only made by taking it. A stored number is a SAMPLE with its own date, and nothing read is null with a reason.

export const LABELS = Object.freeze([
  'MEASURED',
  'MODELED',
  'SIMULATED',
  'SAMPLE',
  'UNAVAILABLE',
  'STRUCTURAL-ONLY',
  'LIVE',
  'ROADMAP',
  'SIMULATION-ONLY',
] as const)
export type Label = (typeof LABELS)[number]

/** What each says of the value beside it. */
export const LABEL_MEANINGS: Readonly<Record<Label, string>> = Object.freeze({
  MEASURED: 'read from a clock, counter or store for this reply',
  MODELED: 'computed from an equation that is given',
  SIMULATED: 'made by a simulation, with its seed',
  SAMPLE: 'example data, or an earlier reading with its date',
  UNAVAILABLE: 'could not be had, and why; nothing stands in',
  'STRUCTURAL-ONLY': 'form was checked, content was not',
  LIVE: 'running now, seen in this request',
  ROADMAP: 'planned, not delivered',
  'SIMULATION-ONLY': 'exists as a simulation and in no other form',
})

export const isLabel = (word: unknown): word is Label => (LABELS as readonly unknown[]).includes(word)

declare const taken: unique symbol

/** A value together with where and when it was read. Only `reading` and `readingAsync` make one. */
export type Reading<T> = {
  readonly value: T
  readonly source: string
  readonly readAt: string
  readonly [taken]: true
}

/** The brand exists for the compiler alone; on the wire these are the plain fields. */
type FromReading<L extends Label, T> = {
  readonly label: L
  readonly value: T
  readonly source: string
  readonly read_at: string
  readonly [taken]: true
}
export type Measured<T> = FromReading<'MEASURED', T>
export type Live<T> = FromReading<'LIVE', T>

export type Coefficient = { readonly name: string; readonly value: number; readonly source: string }
/** `meaning` says what the bounds are, such as "95 % bootstrap" or "bounds by construction". */
export type Interval = { readonly low: number; readonly high: number; readonly meaning: string }
export type Model<T> = {
  readonly value: T
  readonly equation: string
  readonly coefficients: readonly Coefficient[]
  readonly interval: Interval
}
export type Simulation<T> = {
  readonly value: T
  readonly simulator: string
  readonly version: string
  readonly seed: number
  readonly assumptions: readonly string[]
  readonly not_real: readonly string[]
}

export type Modeled<T> = { readonly label: 'MODELED' } & Model<T>
export type Simulated<T> = { readonly label: 'SIMULATED' } & Simulation<T>
export type SimulationOnly<T> = { readonly label: 'SIMULATION-ONLY' } & Simulation<T>
export type Sample<T> = { readonly label: 'SAMPLE'; readonly value: T; readonly measured_at: string }
export type Unavailable = { readonly label: 'UNAVAILABLE'; readonly value: null; readonly reason: string }
export type StructuralOnly<T> = { readonly label: 'STRUCTURAL-ONLY'; readonly value: T }
export type Roadmap = { readonly label: 'ROADMAP'; readonly value: null; readonly note: string }

export type Labelled<T> =
  | Measured<T>
  | Live<T>
  | Modeled<T>
  | Simulated<T>
  | SimulationOnly<T>
  | Sample<T>
  | Unavailable
  | StructuralOnly<T>
  | Roadmap

/** The clock of the request, as ISO 8601 UTC with milliseconds. */
export type ClockNow = () => string

// A cast gets past the compiler; this gets a cast found at run time.
const readings = new WeakSet<object>()

export function reading<T>(source: string, clockNow: ClockNow, takeValue: () => T): Reading<T> {
  const value = takeValue()
  if (isPromiseLike(value)) throw new TypeError('the value is still being read: use readingAsync')
  return seal(source, clockNow, value)
}

export async function readingAsync<T>(
  source: string,
  clockNow: ClockNow,
  takeValue: () => Promise<T>,
): Promise<Reading<T>> {
  return seal(source, clockNow, await takeValue())
}

export const measured = <T>(from: Reading<T>): Measured<T> => labelReading('MEASURED', from)
export const live = <T>(from: Reading<T>): Live<T> => labelReading('LIVE', from)

export function modeled<T>({ value, equation, coefficients, interval }: Model<T>): Modeled<T> {
  said('equation', equation)
  said('interval meaning', interval.meaning)
  for (const { name, source } of coefficients) said(`source of coefficient ${name}`, source)
  return { label: 'MODELED', value, equation, coefficients, interval }
}

export const simulated = <T>(run: Simulation<T>): Simulated<T> => ({ label: 'SIMULATED', ...disclosed(run) })

/** For what exists as a simulation and in no other form. */
export const simulationOnly = <T>(run: Simulation<T>): SimulationOnly<T> => ({
  label: 'SIMULATION-ONLY',
  ...disclosed(run),
})

/** A committed artifact: it carries the time of its own measurement, never the time of the request. */
export const sample = <T>(value: T, measuredAt: string): Sample<T> => ({
  label: 'SAMPLE',
  value,
  measured_at: instant('measured_at', measuredAt),
})

export const unavailable = (reason: string): Unavailable => ({
  label: 'UNAVAILABLE',
  value: null,
  reason: said('reason', reason),
})

export const structuralOnly = <T>(value: T): StructuralOnly<T> => ({ label: 'STRUCTURAL-ONLY', value })

export const roadmap = (note: string): Roadmap => ({ label: 'ROADMAP', value: null, note: said('note', note) })

function seal<T>(source: string, clockNow: ClockNow, value: T): Reading<T> {
  const readAt = instant('read_at', clockNow())
  const sealed = Object.freeze({ value, source: said('source', source), readAt }) as Reading<T>
  readings.add(sealed)
  return sealed
}

function labelReading<L extends 'MEASURED' | 'LIVE', T>(label: L, from: Reading<T>): FromReading<L, T> {
  if (!readings.has(from)) throw new TypeError(`${label} needs a reading that was taken, not an object shaped like one`)
  return { label, value: from.value, source: from.source, read_at: from.readAt } as FromReading<L, T>
}

function disclosed<T>({ value, simulator, version, seed, assumptions, not_real }: Simulation<T>): Simulation<T> {
  said('simulator', simulator)
  said('version', version)
  if (!Number.isSafeInteger(seed)) throw new TypeError('the seed of a simulation is a safe integer')
  if (not_real.length === 0) throw new TypeError('a simulation says what about it is not real')
  return { value, simulator, version, seed, assumptions, not_real }
}

function said(field: string, text: string): string {
  if (text.trim() === '') throw new TypeError(`${field} must say something`)
  return text
}

function instant(field: string, time: string): string {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time))
    throw new TypeError(`${field} is not ISO 8601 UTC: ${time}`)
  return time
}

const isPromiseLike = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
