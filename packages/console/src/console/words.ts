/** What receipts say, in the words of the one table of reasons, gates and rules. */
import type { ReceiptRow } from '@orch/client'
import { explain } from '@orch/core'

const OUTCOMES = {
  ALLOW: { tone: 'allow', word: 'Allowed', shape: 'allow' },
  REVIEW: { tone: 'review', word: 'Held', shape: 'review' },
  DENY: { tone: 'deny', word: 'Denied', shape: 'deny' },
} as const

/** For a receipt that decides nothing. */
const RECORDED = { tone: 'none', word: 'Recorded', shape: 'file' } as const

type OutcomeLook = (typeof OUTCOMES)[keyof typeof OUTCOMES] | typeof RECORDED

export const outcomeOf = (decision: string | null): OutcomeLook =>
  OUTCOMES[(decision ?? '').toUpperCase() as keyof typeof OUTCOMES] ?? RECORDED

type Said = Pick<ReceiptRow, 'decision' | 'kind' | 'reasons' | 'rules'>

/** The gate that gives a reason, and which of its rules can be the cause. */
const GIVEN_BY: Readonly<Record<string, { gate: string; rules?: RegExp }>> = {
  THREAT_SIGNATURE: { gate: 'threat-signature-scan', rules: /^T\d/ },
  SECRET_EGRESS: { gate: 'pii-egress-guard', rules: /^P2\d$/ },
  PII_EGRESS: { gate: 'pii-egress-guard', rules: /^P(?!2\d$)\d/ },
  SENSITIVITY_EGRESS: { gate: 'cedar-policy' },
  POLICY_ERROR: { gate: 'cedar-policy' },
  POLICY_FORBID: { gate: 'cedar-policy' },
  POLICY_DEFAULT_DENY: { gate: 'cedar-policy' },
  POLICY_REVIEW: { gate: 'cedar-policy' },
  TAINTED_ARGUMENT: { gate: 'cedar-policy' },
  BUDGET_EXCEEDED: { gate: 'session-risk-budget' },
  BUDGET_UNAVAILABLE: { gate: 'session-risk-budget' },
  LAMBDA_BELOW_FLOOR: { gate: 'lambda-floor' },
  LAMBDA_UNAVAILABLE: { gate: 'lambda-floor' },
}

/** Why, as a clause, from the reason that decided: a rule of its gate says more than the reason, any other rule says
 *  nothing about this outcome. */
export function whyOf({ decision, kind, reasons, rules }: Said): string {
  if (kind === 'example') return 'The documented example ran, nobody asked'
  if (kind === 'sample') return 'A simulated row, nothing was decided'
  const reason = reasons[0]
  if (decision === null || reason === undefined) return kindWords(kind)
  const approved = reasons.includes('APPROVED_BY_REVIEW') ? explain('APPROVED_BY_REVIEW') : null
  const rule = outcomeOf(decision) === OUTCOMES.ALLOW ? undefined : rules.find((one) => isCause(one, reason))
  return approved?.title ?? (rule && explain(rule)?.title) ?? explain(reason)?.title ?? reason
}

const isCause = (rule: string, reason: string): boolean => GIVEN_BY[reason]?.rules?.test(rule) ?? false

/** What a gate gave as its reasons, in whole sentences. */
export const sentencesOf = (gate: string, reasons: readonly string[]): string[] =>
  reasons.flatMap((reason) => (GIVEN_BY[reason]?.gate === gate ? (explain(reason)?.sentence ?? []) : []))

/** What would have to be there for a policy to permit it, as far as a receipt can tell. */
export function permitHint(said: { reasons: readonly string[]; tool: string | null; isToolRegistered: boolean }) {
  if (said.tool === null || !said.reasons.includes('POLICY_DEFAULT_DENY')) return null
  return said.isToolRegistered
    ? `No policy permits the registered tool ${said.tool} with this effect: add a permit to policies/tools.cedar.`
    : 'The tool was not registered: add it to policies/tools.json, or to the file that ORCH_TOOLS names.'
}

export const kindWords = (kind: string | null): string =>
  kind === null ? 'Not readable as a receipt' : `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll('-', ' ')}`

/** "Denied: override of earlier instructions". */
export function sentenceOf(said: Said): string {
  const why = whyOf(said)
  if (said.decision === null) return why
  const clause = /^[A-Z][a-z]/.test(why) ? why.charAt(0).toLowerCase() + why.slice(1) : why
  return `${outcomeOf(said.decision).word}: ${clause}`
}

export const gateTitle = (name: string): string => explain(name)?.title ?? name

export const countWords = (count: number): string => count.toLocaleString('en')

/** A sentence of the service with its counts written as this page writes them. */
export const withCounts = (text: string): string =>
  text.replace(/(?<![\w.-])\d{4,15}(?![\w-]|\.\d)/g, (count) => countWords(Number(count)))

/** Whether a text has every word of what somebody typed, in whatever case and order. */
export const hasWords = (text: string, typed: string): boolean =>
  wordsOf(typed).every((word) => text.toLowerCase().includes(word))

export const wordsOf = (typed: string): string[] => typed.trim().toLowerCase().split(/\s+/)
