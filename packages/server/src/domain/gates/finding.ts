import type { FINDING_WEIGHTS, Severity } from '@orch/core'

export type { Effect, Origin, SensitivityClass, Severity } from '@orch/core'
export type { Finding } from '../decision/wire.ts'
export type Direction = 'input' | 'output'
export type TextGate = keyof typeof FINDING_WEIGHTS

const RANK: Record<Severity, number> = { note: 0, hold: 1, block: 2 }

export const isGraver = (one: Severity, other: Severity): boolean => RANK[one] > RANK[other]
export const gravest = (severities: Iterable<Severity>): Severity | null => {
  let worst: Severity | null = null
  for (const severity of severities) if (worst === null || isGraver(severity, worst)) worst = severity
  return worst
}

/** Keys, tokens and passwords; the other rules about values are about persons and what belongs to them. */
export const isSecretRule = (id: string): boolean => id >= 'P20' && id <= 'P29'

/** What is noted and never stopped: where things are sent, and numbers that companies publish. */
export const PUBLIC_RULES: ReadonlySet<string> = new Set(
  'P05 P06 P31 P32 P38 P48 P53 P61 P67 P80 P81 P82 P83'.split(' '),
)

const SHOWN_FROM = 12

/** Two characters at each end of a long value; of a short one nothing but what it is. */
export function masked(value: string, kind: string): string {
  const letters = [...value.slice(0, 4096)]
  if (letters.length < SHOWN_FROM) return kind
  return `${letters.slice(0, 2).join('')}***${[...value.slice(-4)].slice(-2).join('')}`
}
