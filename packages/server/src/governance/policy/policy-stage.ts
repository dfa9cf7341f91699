/** Stage S4: what the policies say about a request. */

import { REASONS, type Reason } from '../../domain/decision/verdict.ts'
import type { PolicyVerdict } from '../../domain/policy/authorization.ts'
import { governRequest } from '../../domain/policy/requests.ts'
import { TOOL_EFFECTS } from '../../domain/tools/effects.ts'
import type { DecisionRequest, Examined, Policies, ToolEntry } from '../contract.ts'
import { failClosed } from './verdict.ts'

/** A tool by its name: one of the server's own, or one the operator registered. */
export function registeredTool(policies: Pick<Policies, 'tool'>, name: string | null): ToolEntry | null {
  if (name === null) return null
  const effect = Object.hasOwn(TOOL_EFFECTS, name) ? TOOL_EFFECTS[name] : undefined
  return effect === undefined ? policies.tool(name) : { name, effect }
}

export const policyVerdict = (policies: Policies, examined: Examined, approved: boolean): PolicyVerdict =>
  withHint(
    failClosed(() => askPolicies(policies, examined, approved), policies.status),
    policies,
    examined.decisionRequest,
  )

/** A default deny says what had no permit and where an operator would give one. */
function withHint(verdict: PolicyVerdict, policies: Policies, decisionRequest: DecisionRequest): PolicyVerdict {
  return verdict.reasons.includes('POLICY_DEFAULT_DENY')
    ? { ...verdict, hint: hintOf(policies, decisionRequest) }
    : verdict
}

const TOOLS_FILE = 'policies/tools.json (or the file named by ORCH_TOOLS)'

function hintOf(policies: Policies, { tool, effect, ask }: DecisionRequest): string {
  if (ask !== undefined) return 'no policy permits any model target for this text; edit policies/infer.cedar'
  if (tool === null)
    return `the effect ${effect} needs a tool: send "tool" with a name that is registered in ${TOOLS_FILE}`
  const entry = registeredTool(policies, tool)
  if (entry === null) return `${shownTool(tool)} is not registered: add it to ${TOOLS_FILE}`
  return `no policy permits the registered tool ${entry.name} with this effect; add a permit to policies/tools.cedar`
}

/** A name that could itself be a value, such as a card number, is not repeated. */
const shownTool = (tool: string): string =>
  /^[A-Za-z0-9._:/-]{1,64}$/.test(tool) && !/\d{4}/.test(tool) ? `the tool ${tool}` : 'the named tool'

function askPolicies(policies: Policies, { decisionRequest, examination }: Examined, approved: boolean): PolicyVerdict {
  const { rank } = examination.sensitivity
  if (decisionRequest.ask !== undefined) return decisionRequest.ask({ rank, approved }, policies.authorize)
  return policies.authorize(
    governRequest({
      owner: decisionRequest.caller.owner,
      namespace: decisionRequest.caller.namespace,
      effect: decisionRequest.effect,
      shown: examination.shown,
      tool: decisionRequest.tool,
      registered: registeredTool(policies, decisionRequest.tool),
      rank,
      tainted: decisionRequest.tainted ?? false,
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
