/** One decision of the engine over policies given as text: for policies that are not active, or not yet. */
import {
  type AuthorizationCall,
  type Context,
  type Entities,
  isAuthorized,
  type Response,
  validate,
} from '@cedar-policy/cedar-wasm/nodejs'
import { sentenceOf } from '../../src/governance/policy/annotated-policies.ts'

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
interface TextDecision {
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
  const answer = attempt({ ...request, ...typed, policies: { staticPolicies: policies } })
  if (typeof answer === 'string') return { decision: 'deny', reason: [], errors: [], failure: answer }
  const { decision, diagnostics } = answer
  const errors = diagnostics.errors.map(({ policyId }) => policyId).sort()
  return { decision, reason: [...diagnostics.reason].sort(), errors, failure: null }
}

/** The engine throws on text it cannot take over. */
function attempt(call: AuthorizationCall): Response | string {
  try {
    const answer = isAuthorized(call)
    return answer.type === 'failure' ? sentenceOf(answer.errors) : answer.response
  } catch (error) {
    return `the engine failed: ${(error as Error).message}`.slice(0, 500)
  }
}

/** What strict validation finds; empty when the policies are valid under the schema. */
export function validationFaults(policies: string, schema: string): string[] {
  const answer = validate({ validationSettings: { mode: 'strict' }, schema, policies: { staticPolicies: policies } })
  if (answer.type === 'failure') return [sentenceOf(answer.errors)]
  return answer.validationErrors.map(({ policyId, error }) => `${policyId}: ${sentenceOf([error])}`)
}
