// Property runs. They look for counterexamples and prove nothing; a record of a run is made by running and in no other
// way, which is why it may say MEASURED.
import { LOCKED_FORMULAS, type LockedFormula } from '../doctrine.ts'
import { IMPLEMENTATIONS, type Implementations, PROPERTIES, type Property } from './properties.ts'
import { sfc32 } from './sfc32.ts'

export const DEFAULT_SEED = 1
export const DEFAULT_CASES = 200
const MAX_SHOWN = 3

export type PropertyRun = {
  checked_cases: number
  /** The first few, in the order found. */
  counterexamples: string[]
  passed: boolean
  seed: number
  label: 'MEASURED'
  label_detail: 'property check, not a proof'
}
export type FormulaCheck = { formula_id: LockedFormula } & PropertyRun

export function checkFormula<Id extends LockedFormula>(
  id: Id,
  seed = DEFAULT_SEED,
  cases = DEFAULT_CASES,
  implementation: Implementations[Id] = IMPLEMENTATIONS[id],
): FormulaCheck {
  return { formula_id: id, ...runProperty(id, PROPERTIES[id](implementation), seed, cases) }
}

export type Overrides = { readonly [Id in LockedFormula]?: Implementations[Id] }

/** All eight in doctrine order. */
export const checkFormulas = (seed = DEFAULT_SEED, cases = DEFAULT_CASES, broken: Overrides = {}): FormulaCheck[] =>
  LOCKED_FORMULAS.map((id) => checkFormula(id, seed, cases, broken[id] as never))

/** Runs on to the last case, so that `checked_cases` is the number asked for. */
export function runProperty(name: string, property: Property, seed: number, cases: number): PropertyRun {
  if (!Number.isSafeInteger(cases) || cases < 1) throw new RangeError('a property run has at least one case')
  const random = sfc32(`orch.formula-check/v1:${name}`, { seed })
  const found: string[] = []
  for (let i = 0; i < cases; i += 1) {
    const counterexample = attempt(property, random)
    if (counterexample !== null && found.length < MAX_SHOWN) found.push(`case ${i}: ${counterexample}`.slice(0, 200))
  }
  return {
    checked_cases: cases,
    counterexamples: found,
    passed: found.length === 0,
    seed,
    label: 'MEASURED',
    label_detail: 'property check, not a proof',
  }
}

/** An implementation that fails in an unforeseen way has not kept its promise either. */
function attempt(property: Property, random: ReturnType<typeof sfc32>): string | null {
  try {
    return property(random)
  } catch (error) {
    return `it threw ${error instanceof Error ? error.message : 'something'}`
  }
}
