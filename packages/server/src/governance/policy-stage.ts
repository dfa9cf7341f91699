/** S4: what the policies say about a matter. */
import { TOOL_EFFECTS } from '../domain/agent/tool-effects.ts'
import { REASONS, type Reason } from '../domain/decision/verdict.ts'
import type { Effect } from '../domain/gates/finding.ts'
import type { PolicyVerdict } from '../domain/policy/authorization.ts'
import { governRequest, graverEffect } from '../domain/policy/requests.ts'
import type { Examined, Matter, Policies } from '../governance-contract.ts'

export const registeredEffect = (tool: string | null): Effect | null =>
  tool !== null && Object.hasOwn(TOOL_EFFECTS, tool) ? (TOOL_EFFECTS[tool] ?? null) : null

/** A caller may call its tool graver than the registry does, never milder: lambda would rise by it. */
export function effectOf({ effect, tool }: Matter): Effect {
  const registered = registeredEffect(tool)
  return registered === null ? effect : graverEffect(effect, registered)
}

/** Always a verdict: an engine that fails has denied. */
export function policyVerdict(policies: Policies, examined: Examined, approved: boolean): PolicyVerdict {
  try {
    return asked(policies, examined, approved)
  } catch {
    const { engine, policy_digest } = policies.status()
    const nothing = { determining: [], forbids: [], errors: ['the policy engine failed'] }
    return { outcome: 'deny', reasons: ['POLICY_ERROR'], ...nothing, engine, policy_digest: policy_digest ?? NO_DIGEST }
  }
}

const NO_DIGEST = '0'.repeat(64)

function asked(policies: Policies, { matter, examination }: Examined, approved: boolean): PolicyVerdict {
  const { rank } = examination.sensitivity
  if (matter.ask !== undefined) return matter.ask({ rank, approved }, policies.authorize)
  const effect = registeredEffect(matter.tool)
  return policies.authorize(
    governRequest({
      owner: matter.caller.owner,
      effect: matter.effect,
      shown: examination.shown,
      tool: matter.tool,
      registered: effect === null ? null : { effect },
      rank,
      tainted: matter.tainted ?? false,
      approved,
    }),
  )
}

/** Codes an operator's own policy names and we do not know still decide; they are told as what they are, a forbid. */
export const stageVerdict = ({ outcome, reasons }: PolicyVerdict) => {
  const known = reasons.filter((reason): reason is Reason => (REASONS as readonly string[]).includes(reason))
  const fallback: Reason = outcome === 'review' ? 'POLICY_REVIEW' : 'POLICY_FORBID'
  return { verdict: outcome, reasons: outcome !== 'allow' && known.length === 0 ? [fallback] : known }
}
