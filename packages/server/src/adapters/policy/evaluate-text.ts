/** One decision of the engine over policies given as text: for policies that are not, or not yet, in charge. */
import { type Context, type Entities, isAuthorized, validate } from '@cedar-policy/cedar-wasm/nodejs'
import { sentenceOf } from './annotated-policies.ts'

type Name = { type: string; id: string }
export interface TextEvaluation {
  policies: string
  entities: Entities
  schema?: string
  principal: Name
  action: Name
  resource: Name
  context: Context
}
export interface TextDecision {
  decision: 'allow' | 'deny'
  /** Ids of the determining policies: `policy0`, `policy1` in the order of the text. */
  reason: string[]
  /** Ids of the policies that erred. */
  errors: string[]
  /** Why there was no evaluation at all; the decision is then a deny. */
  failure: string | null
}

export function evaluateText({ policies, schema, ...request }: TextEvaluation): TextDecision {
  const typed = schema === undefined ? {} : { schema, validateRequest: true }
  const answer = isAuthorized({ ...request, ...typed, policies: { staticPolicies: policies } })
  if (answer.type === 'failure') return { decision: 'deny', reason: [], errors: [], failure: sentenceOf(answer.errors) }
  const { decision, diagnostics } = answer.response
  const errors = diagnostics.errors.map(({ policyId }) => policyId).sort()
  return { decision, reason: [...diagnostics.reason].sort(), errors, failure: null }
}

/** What strict validation finds; empty when the policies are valid under the schema. */
export function validationFaults(policies: string, schema: string): string[] {
  const answer = validate({ validationSettings: { mode: 'strict' }, schema, policies: { staticPolicies: policies } })
  if (answer.type === 'failure') return [sentenceOf(answer.errors)]
  return answer.validationErrors.map(({ policyId, error }) => `${policyId}: ${sentenceOf([error])}`)
}
