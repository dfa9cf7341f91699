// What lambda is computed from: words of closed lists and whole numbers, as the receipt carries them.
import { isPosition as isCount, isRecord } from '../verify/shape.ts'

export type Severity = 'block' | 'hold' | 'note'
export type Origin = 'user' | 'system' | 'model' | 'tool' | 'retrieved'
export type Effect = 'none' | 'read' | 'write' | 'external' | 'destructive'
export type SensitivityClass = 'PUBLIC' | 'INTERNAL' | 'RESTRICTED' | 'SECRET'

export interface RuleCount {
  rule: string
  severity: Severity
  /** Distinct values for the guard; always 1 for a threat. */
  values: number
}

/** Everything lambda is computed from. */
export interface LambdaInputs {
  threats: RuleCount[]
  values: RuleCount[]
  sensitivity: SensitivityClass
  effect: Effect
  origin: Origin
  severity_milli: number
  invisible: number
  mixed_script_words: number
  decoded_children: number
  completed: number
  planned: number
  spent_micro: number
  budget_micro: number
  /** What this call is charged, where its surface charges by a rule of its own; otherwise it follows from the axes. */
  charge_micro?: number
}

/** Weights of a finding in hundredths, so that products of them stay exact. */
export const FINDING_WEIGHTS: Readonly<
  Record<'threat-signature-scan' | 'pii-egress-guard', Readonly<Record<Severity, number>>>
> = {
  'threat-signature-scan': { block: 60, hold: 25, note: 5 },
  'pii-egress-guard': { block: 50, hold: 20, note: 3 },
}

/** What is left of an axis by a word of the request, in hundredths. */
export const SENSITIVITY_FACTOR: Readonly<Record<SensitivityClass, bigint>> = {
  PUBLIC: 100n,
  INTERNAL: 96n,
  RESTRICTED: 60n,
  SECRET: 40n,
}
export const EFFECT_FACTOR: Readonly<Record<Effect, bigint>> = {
  none: 100n,
  read: 100n,
  write: 95n,
  external: 90n,
  destructive: 60n,
}
export const ORIGIN_FACTOR: Readonly<Record<Origin, bigint>> = {
  user: 100n,
  system: 100n,
  model: 100n,
  tool: 95n,
  retrieved: 92n,
}

const isWordOf = (words: object, value: unknown): boolean => typeof value === 'string' && Object.hasOwn(words, value)

const COUNTS = [
  'severity_milli',
  'invisible',
  'mixed_script_words',
  'decoded_children',
  'completed',
  'planned',
  'spent_micro',
  'budget_micro',
] as const

/** Why a value read from somebody's receipt is nothing lambda can be computed from; null when it is. */
export function lambdaInputsFault(value: unknown): string | null {
  if (!isRecord(value)) return 'the inputs are no object'
  for (const list of ['threats', 'values'] as const)
    if (!Array.isArray(value[list]) || !value[list].every(isRuleCount)) return `${list} is no list of counted rules`
  for (const [name, words] of [
    ['sensitivity', SENSITIVITY_FACTOR],
    ['effect', EFFECT_FACTOR],
    ['origin', ORIGIN_FACTOR],
  ] as const)
    if (!isWordOf(words, value[name])) return `${name} is not a word of its list`
  const odd = COUNTS.find((name) => !isCount(value[name]))
  if (odd !== undefined) return `${odd} is not a whole number from 0 up`
  if (value.charge_micro !== undefined && !isCount(value.charge_micro))
    return 'charge_micro is not a whole number from 0 up'
  return rangeFault(value as unknown as LambdaInputs)
}

const isRuleCount = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.rule === 'string' &&
  isWordOf(FINDING_WEIGHTS['pii-egress-guard'], value.severity) &&
  isCount(value.values)

/** Nothing was planned, or more came back than was planned: there is no such reading. A budget of 0 is one: used up. */
function rangeFault({ planned, completed, severity_milli }: LambdaInputs): string | null {
  if (planned === 0) return 'no evaluation was planned'
  if (completed > planned) return 'more evaluations were completed than planned'
  return severity_milli <= 10_000 ? null : 'severity_milli is over 10000'
}
