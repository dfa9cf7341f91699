/** What the engine's answer means, and what the lack of one does. Pure. */

import type { AuthorizationAnswer } from '@cedar-policy/cedar-wasm/nodejs'
import { cutText } from '@orch/core'
import type { FiredForbid, PolicyVerdict } from '../contract.ts'
import { type AnnotatedPolicy, sentenceOf } from './annotated-policies.ts'

/** Before the set that decided is stamped on it. */
export type Verdict = Omit<PolicyVerdict, 'engine' | 'policy_digest'>

/** The engine skips a policy that errs, so a broken forbid would open the gate: any error denies. */
const failed = (errors: readonly string[]): Verdict => ({
  outcome: 'deny',
  reasons: ['POLICY_ERROR'],
  determining: [],
  forbids: [],
  errors,
})

export function toVerdict(answer: AuthorizationAnswer, policies: ReadonlyMap<string, AnnotatedPolicy>): Verdict {
  if (answer.type === 'failure') return failed([sentenceOf(answer.errors)])
  const { decision, diagnostics } = answer.response
  const determining = [...diagnostics.reason].sort()
  const forbids = determining.flatMap((id) => firedForbid(policies.get(id)))
  const errors = diagnostics.errors.map(({ policyId, error }) => `${policyId}: ${sentenceOf([error])}`)
  if (errors.length > 0) return { ...failed(errors), determining, forbids }
  if (decision === 'allow') return { outcome: 'allow', reasons: [], determining, forbids, errors: [] }
  if (decision !== 'deny') return failed(['the engine gave no decision'])
  if (forbids.length === 0) return { ...defaultDeny, determining }
  const outcome = forbids.every((forbid) => forbid.outcome === 'review') ? 'review' : 'deny'
  const made = forbids.filter((forbid) => forbid.outcome === outcome)
  return { outcome, reasons: [...new Set(made.map(({ code }) => code))].sort(), determining, forbids, errors: [] }
}

/** No policy spoke: effects need a permit. */
export const defaultDeny: Verdict = {
  outcome: 'deny',
  reasons: ['POLICY_DEFAULT_DENY'],
  determining: [],
  forbids: [],
  errors: [],
}

const firedForbid = (policy: AnnotatedPolicy | undefined): FiredForbid[] =>
  policy?.effect === 'forbid' ? [{ id: policy.id, code: policy.code, outcome: policy.outcome }] : []

const NO_DIGEST = '0'.repeat(64)
const OUTCOMES: readonly unknown[] = ['allow', 'review', 'deny']

/** The one place where a policy engine that does not answer has denied. An engine that throws, errs or says something other
 *  than its three words has not answered. */
export function failClosed(
  ask: () => PolicyVerdict,
  status: () => { engine: string; policy_digest: string | null },
): PolicyVerdict {
  const denied = (error: string): PolicyVerdict => {
    const { engine, policy_digest } = status()
    return { ...failed([error]), engine, policy_digest: policy_digest ?? NO_DIGEST }
  }
  try {
    const verdict = ask()
    const isClean = verdict.outcome === 'deny' || verdict.errors.length === 0
    return isClean && OUTCOMES.includes(verdict.outcome) ? verdict : denied('the policy engine gave no answer')
  } catch (error) {
    return denied(cutText(`the engine failed: ${(error as Error).message}`, 500))
  }
}
