// The gates as the service runs them, on the shipped rules.
import { readFileSync } from 'node:fs'
import { decisionOf, SESSION_RISK_BUDGET } from '../../packages/server/src/domain/decision/decide.ts'
import { type Examination, examineText } from '../../packages/server/src/domain/decision/examine.ts'
import type { Origin } from '../../packages/server/src/domain/gates/finding.ts'
import { loadRules } from '../../packages/server/src/domain/gates/rules.ts'

const RULES = new URL('../../packages/server/rules/', import.meta.url)
const json = (name: string) => JSON.parse(readFileSync(new URL(name, RULES), 'utf8'))
export const rules = loadRules({
  gates: json('gates.json'),
  confusables: json('confusables.json'),
  scorer: json('threat-scorer.json'),
})

/** Quality is not speed: a busy machine must not lose findings to the deadline here. */
const NO_DEADLINE = Number.POSITIVE_INFINITY

export function examined(text: string, origin: Origin, now: () => number = () => performance.now()): Examination {
  const circumstances = { origin, direction: 'input', effect: 'none', declared: 'PUBLIC' } as const
  return examineText({ text, ...circumstances, rules, deadlineMs: NO_DEADLINE, now })
}

export interface Outcome {
  /** Denied or reviewed by the whole pipeline, with a policy that permits. */
  stopped: boolean
  denied: boolean
  /** By the threat gate alone. */
  threat: boolean
  /** By the threat gate without its learned scorer, which speaks only where no other rule does. */
  threatByRules: boolean
}

export function outcomeOf(text: string, origin: Origin): Outcome {
  const examination = examined(text, origin)
  const budget = { spent_micro: 0, limit_micro: SESSION_RISK_BUDGET }
  const { decision } = decisionOf({ examination, policy: { verdict: 'allow', reasons: [] }, budget, severity: 0 })
  const gate = examination.stages.find(({ id }) => id === 'threat-signature-scan')
  const threat = gate?.verdict !== 'allow'
  const scored = examination.findings.some(({ explanation }) => explanation !== undefined)
  return { stopped: decision !== 'allow', denied: decision === 'deny', threat, threatByRules: threat && !scored }
}
