/** One question to the active policy set, with the facts that the server itself knows about a tool. */
import type { Effect } from '../../../domain/gates/finding.ts'
import type { EntityName, PolicyRequest } from '../../../domain/policy/authorization.ts'
import { governRequest } from '../../../domain/policy/requests.ts'
import { TOOL_EFFECTS } from '../../../domain/tools/effects.ts'
import type { Policies } from '../../../governance/contract.ts'

export interface PolicyQuestion {
  principal: EntityName
  action: EntityName
  resource: EntityName
  context?: Record<string, unknown>
  entities?: readonly unknown[]
}

export interface PolicyAnswer {
  /** Of the policy language: a forbid that a person may lift is a deny. */
  decision: 'allow' | 'deny'
  /** `review`: the only forbids are such that a person may lift. */
  outcome: 'allow' | 'review' | 'deny'
  determining: string[]
  errors: string[]
  /** Of the set that decided; 64 zeros where none is loaded. */
  policy_sha256: string
}

type ActivePolicies = Pick<Policies, 'authorize' | 'tool'>

/** Never throws, and never allows where the engine failed. */
export function authorize(policies: ActivePolicies, question: PolicyQuestion): PolicyAnswer {
  const { outcome, determining, errors, policy_digest } = policies.authorize(withServerFacts(policies, question))
  return {
    decision: outcome === 'allow' ? 'allow' : 'deny',
    outcome,
    determining: [...determining],
    errors: [...errors],
    policy_sha256: policy_digest,
  }
}

export const CALLER_TYPE = 'Orch::Caller'
export const TOOL_TYPE = 'Orch::Tool'
export const ACTION_TYPE = 'Orch::Action'

/** Whether `agent` may call the tool of that name, as the active set decides it for everybody. */
export const authorizeTool = (policies: ActivePolicies, agent: string, tool: string, effect: Effect = 'none') =>
  authorize(policies, {
    principal: { type: CALLER_TYPE, id: agent },
    action: { type: ACTION_TYPE, id: 'InvokeTool' },
    resource: { type: TOOL_TYPE, id: tool },
    context: { effect },
  })

const EFFECTS: readonly unknown[] = ['none', 'read', 'write', 'external', 'destructive'] satisfies Effect[]

/** Who asks states neither what a tool is registered as nor that a person approved: both are the server's to know. An
 *  effect may be called graver than the registry has it and never milder. */
function withServerFacts(policies: ActivePolicies, question: PolicyQuestion): PolicyRequest {
  const { principal, action, resource, context = {}, entities = [] } = question
  const asked = { principal, action, resource, context, entities: [...entities] } as PolicyRequest
  if (resource.type !== TOOL_TYPE) return asked
  const tool = resource.id
  const registered = Object.hasOwn(TOOL_EFFECTS, tool) ? { effect: TOOL_EFFECTS[tool] as Effect } : policies.tool(tool)
  const known = governRequest({
    owner: principal.id,
    effect: statedEffect(context.effect),
    tool,
    registered,
    rank: 0,
    tainted: false,
    approved: false,
  })
  const { effect = 'destructive' } = known.context
  const others = asked.entities.filter(({ uid }) => !(uid?.type === TOOL_TYPE && uid.id === tool))
  return {
    ...asked,
    context: { ...known.context, ...asked.context, effect, approved: false },
    entities: [...others, ...known.entities],
  }
}

/** An effect without a meaning here must not pass for a mild one. */
const statedEffect = (stated: unknown): Effect =>
  stated === undefined ? 'none' : EFFECTS.includes(stated) ? (stated as Effect) : 'destructive'
