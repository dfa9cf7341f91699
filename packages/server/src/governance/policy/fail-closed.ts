/** The one place where a policy engine that does not answer has denied. */
import type { PolicyVerdict } from '../../domain/policy/authorization.ts'
import { failed } from './verdict.ts'

const NO_DIGEST = '0'.repeat(64)
const OUTCOMES: readonly unknown[] = ['allow', 'review', 'deny']

/** An engine that throws, errs or says something other than its three words has not answered. */
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
    return denied(`the engine failed: ${(error as Error).message}`.slice(0, 500))
  }
}
