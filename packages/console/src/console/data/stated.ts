/** What the payload of a decision states, read field by field: whoever can write to a store chooses its shape. */
import type { ReceiptRecord } from './verify-here.ts'

type Fields = Record<string, unknown>

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
const records = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

export function statedBy({ body, decision, kind }: Pick<ReceiptRecord, 'body' | 'decision' | 'kind'>) {
  const payload = isRecord(body?.payload) ? body.payload : {}
  const policy = isRecord(body?.policy) ? body.policy : {}
  const actor = isRecord(body?.actor) ? body.actor : {}
  const budget = isRecord(payload.budget) ? payload.budget : {}
  return {
    payload,
    decision: text(decision),
    kind,
    reasons: texts(payload.reasons),
    rules: texts(payload.breaches),
    gates: records(payload.gates).map(({ name, verdict }) => ({
      name: text(name) ?? '',
      verdict: text(verdict) ?? '',
    })),
    findings: records(payload.findings).map((found) => ({
      gate: text(found.gate) ?? '',
      rule: text(found.rule) ?? '',
      severity: text(found.severity) ?? '',
      start: number(found.start) ?? 0,
      end: number(found.end) ?? 0,
      sample_masked: text(found.sample_masked),
    })),
    agent: text(payload.agent),
    tool: text(payload.tool) ?? (isRecord(payload.tool) ? text(payload.tool.name) : null) ?? text(payload.tool_sha256),
    /** Only of a tool that is not registered does a receipt keep the digest alone. */
    isToolRegistered: payload.tool != null,
    session: text(payload.session_sha256),
    lambda: number(payload.lambda),
    floor: number(payload.lambda_floor),
    axes: records(payload.lambda_axes).map(({ name, value }) => ({
      name: text(name) ?? '',
      value: number(value) ?? 0,
    })),
    inputLength: number(payload.input_length),
    inputDigest: text(payload.input_sha256),
    rulesDigest: text(policy.rules_digest),
    policyDigest: text(policy.policy_digest),
    spent: number(budget.spent_micro),
    charge: number(budget.charge_micro),
    limit: number(budget.limit_micro),
    owner: text(actor.owner),
    authMode: text(actor.auth_mode),
    requestId: text(body?.request_id),
    reviewId: text(payload.review_id) ?? text(payload.approved_by),
  }
}
