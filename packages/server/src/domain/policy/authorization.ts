/** What the policy engine is asked and what it answers. */
export type EntityName = { type: string; id: string }
type PolicyValue = string | number | boolean | PolicyValue[] | { [name: string]: PolicyValue }

interface PolicyEntity {
  uid: EntityName
  attrs: Record<string, PolicyValue>
  parents: EntityName[]
}

export interface PolicyRequest {
  principal: EntityName
  action: EntityName
  resource: EntityName
  context: Record<string, PolicyValue>
  entities: PolicyEntity[]
}

export interface FiredForbid {
  id: string
  code: string
  outcome: 'review' | 'deny'
}

export interface PolicyVerdict {
  outcome: 'allow' | 'review' | 'deny'
  /** Codes of what made the outcome; empty for an allow. */
  reasons: readonly string[]
  /** Ids of the policies that determined the engine's decision. */
  determining: readonly string[]
  /** The forbids among them, each with its own code and weight. */
  forbids: readonly FiredForbid[]
  /** Not empty only with a deny. */
  errors: readonly string[]
  engine: string
  policy_digest: string
  /** Of a default deny: what had no permit, and which file an operator would edit. */
  hint?: string
}

/** MUST return a verdict for anything, a deny where it cannot answer, and MUST depend on the request and the set alone. */
export type Authorize = (request: PolicyRequest) => PolicyVerdict
