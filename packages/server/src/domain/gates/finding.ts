import type { FINDING_WEIGHTS, Severity } from '@orch/core'
import type { ViewName } from '../text/normalise.ts'
import type { ScoreExplanation } from './scorer/explanation.ts'

export type { Effect, Origin, SensitivityClass, Severity } from '@orch/core'
export type Direction = 'input' | 'output'
export type TextGate = keyof typeof FINDING_WEIGHTS

/** What a rule found: where, how grave, and a sample that gives nothing away. Safe to store in a receipt. */
export interface Finding {
  gate: TextGate
  rule: string
  rule_version: number
  severity: Severity
  /** The severity's weight in lambda. */
  score: number
  view: ViewName
  path: string[]
  /** JSON Pointer into the context; null for the text itself. */
  pointer: string | null
  start: number
  end: number
  sample_masked: string
  validator: string | null
  /** Of the learned scorer alone: what its score is made of. */
  explanation?: ScoreExplanation
}

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
