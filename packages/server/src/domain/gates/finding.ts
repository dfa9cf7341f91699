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

const SHOWN_FROM = 12

/** Two characters at each end of a long value; of a short one nothing but what it is. */
export function masked(value: string, kind: string): string {
  const letters = [...value.slice(0, 4096)]
  if (letters.length < SHOWN_FROM) return kind
  return `${letters.slice(0, 2).join('')}***${[...value.slice(-4)].slice(-2).join('')}`
}
