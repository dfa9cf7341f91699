/** Questions to the active policy set, with the facts that the server itself knows about tools. */
import type { Effect } from '../../domain/gates/finding.ts'
import type { EntityName, PolicyRequest } from '../../domain/policy/authorization.ts'
import { governRequest } from '../../domain/policy/requests.ts'
import { TOOL_EFFECTS } from '../../domain/tools/effects.ts'
import type { Policies } from '../../governance/contract.ts'
import type { PolicyQuestion } from './policy/shapes.ts'

type ActivePolicies = Pick<Policies, 'authorize' | 'tool'>

/** Never throws, and never allows where the engine failed. */
export function authorize(policies: ActivePolicies, asked: PolicyQuestion & { entities?: readonly unknown[] }) {
  const { entities = [], ...question } = asked
  const known = withToolFacts(policies, [question], entities)
  return authorizeKnown(policies, known.questions[0]!, known.entities)
}

/** Whether `agent` may call the tool of that name, as the active set decides it for everybody. */
export const authorizeTool = (policies: ActivePolicies, agent: string, tool: string, effect: Effect = 'none') =>
  authorize(policies, { ...toolQuestion(agent, tool), context: { effect } })

const TOOL = 'Orch::Tool'

export const toolQuestion = (agent: string, tool: string): PolicyQuestion => ({
  principal: { type: 'Orch::Caller', id: agent },
  action: { type: 'Orch::Action', id: 'InvokeTool' },
  resource: { type: TOOL, id: tool },
})

/** Whether a text that does nothing may be governed at all; `rank` is that of its sensitivity. */
export const textQuestion = (caller: { owner: string; namespace: string }, rank: number) =>
  governRequest({ ...caller, effect: 'none', tool: null, registered: null, rank, tainted: false, approved: false })

/** Of a question that holds the server's facts already. The outcome is `review` where the only forbids are such that a
 *  person may lift; by the policy language that is a deny. The digest is 64 zeros where no set is loaded. */
export function authorizeKnown({ authorize: ask }: ActivePolicies, question: PolicyQuestion, entities: unknown[]) {
  const { outcome, determining, errors, policy_digest } = ask({ ...question, entities } as PolicyRequest)
  const decision: 'allow' | 'deny' = outcome === 'allow' ? 'allow' : 'deny'
  return { decision, outcome, determining: [...determining], errors: [...errors], policy_sha256: policy_digest }
}

/** Who asks states neither what a tool is registered as nor that a person approved: both are the server's to know. */
export function withToolFacts(
  policies: ActivePolicies,
  questions: readonly PolicyQuestion[],
  entities: readonly unknown[],
): { questions: PolicyQuestion[]; entities: unknown[] } {
  const tools = new Map<string, PolicyRequest['entities']>()
  const known = questions.map((question): PolicyQuestion => {
    const { principal, resource, context = {} } = question
    if (resource.type !== TOOL) return question
    const facts = governRequest({
      // Of these facts those of the tool are taken; what is known of the principal is whoever asks to state.
      ...{ owner: principal.id, namespace: '' },
      effect: statedEffect(context.effect),
      tool: resource.id,
      registered: registration(policies, resource.id),
      ...{ rank: 0, tainted: false, approved: false },
    })
    const ofTool = facts.entities.filter(({ uid }) => uid.type === TOOL)
    tools.set(resource.id, ofTool)
    const { effect } = facts.context
    return { ...question, context: { ...facts.context, ...context, effect, approved: false } }
  })
  const stated = entities.filter((entity) => !isEntityOf(entity, tools))
  return { questions: known, entities: [...stated, ...[...tools.values()].flat()] }
}

const registration = (policies: ActivePolicies, tool: string) =>
  Object.hasOwn(TOOL_EFFECTS, tool) ? { effect: TOOL_EFFECTS[tool] as Effect } : policies.tool(tool)

const EFFECTS: readonly unknown[] = ['none', 'read', 'write', 'external', 'destructive'] satisfies Effect[]

/** Graver than the registry has it where the caller says so, never milder; and no other word passes for a mild one. */
const statedEffect = (stated: unknown): Effect =>
  stated === undefined ? 'none' : EFFECTS.includes(stated) ? (stated as Effect) : 'destructive'

/** The engine refuses two entities of one name, so another spelling of it denies. */
function isEntityOf(entity: unknown, tools: ReadonlyMap<string, unknown>): boolean {
  const uid = (entity as { uid?: Partial<EntityName> } | null)?.uid
  return uid?.type === TOOL && uid.id !== undefined && tools.has(uid.id)
}
