/** What N25 is asked and what it answers. */
import Type, { type Static } from 'typebox'
import { AnyObject, Count, closed, Hex64, Nullable, words } from '../../../domain/wire.ts'

const MAX_TEXT = 32 * 1024
export const MAX_DETERMINING = 32
export const MAX_ERRORS = 4
export const MAX_FINDINGS = 200

const Name = closed({
  type: Type.String({
    maxLength: 256,
    pattern: '^[_a-zA-Z][_a-zA-Z0-9]*(::[_a-zA-Z][_a-zA-Z0-9]*)*$',
    description: 'an entity type, such as `User` or `Orch::Tool`',
  }),
  id: Type.String({ maxLength: 1024 }),
})
const question = {
  principal: Name,
  action: Name,
  resource: Name,
  context: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { default: {} })),
}
const Question = closed(question)
export type PolicyQuestion = Static<typeof Question>
const requests = Type.Array(Question, { minItems: 1, maxItems: 100 })
const text = Type.String({ maxLength: MAX_TEXT, description: 'Cedar policies' })
const schema = Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'a Cedar schema' }))
const under = {
  entities: Type.Optional(Type.Array(AnyObject, { maxItems: 200, default: [], description: "in Cedar's JSON form" })),
  policies: Type.Optional(text),
  schema,
}
export const AuthorizeRequest = closed({ ...question, ...under })
export const ValidateRequest = closed({ policies: text, schema })
export const BatchRequest = closed({ requests, ...under })
export const DiffRequest = closed({ policies_b: text, requests, ...under })
/** Without `policies` the active set is asked. */
export type Asked = Static<typeof BatchRequest>

const Decision = words(['allow', 'deny'])
const Determining = Type.Array(Type.String(), { maxItems: MAX_DETERMINING })
const decided = {
  /** Allowed, and no policy erred on the way. */
  approved: Type.Boolean(),
  decision: Decision,
  determining: Determining,
  errors: Type.Array(Type.String(), { maxItems: MAX_ERRORS }),
  truncated_from: Type.Optional(closed({ determining: Count, errors: Count })),
}
const Decided = closed(decided)
export type Decided = Static<typeof Decided>
const set = { policy_sha256: Hex64, source: words(['active', 'request']) }
const Counts = closed({ allow: Count, deny: Count, with_errors: Count })
/** A place is counted in bytes of the text. */
const Problem = closed({
  policy: Type.String(),
  severity: words(['error', 'warning']),
  message: Type.String(),
  start: Nullable(Count),
  end: Nullable(Count),
})
export type PolicyProblem = Static<typeof Problem>

export const AuthorizeResult = closed({ ...decided, reviewable: Type.Boolean(), ...set })
export const BatchResult = closed({ decisions: Type.Array(Decided), counts: Counts, ...set })
export const ValidateResult = closed({
  valid: Type.Boolean(),
  findings: Type.Array(Problem, { maxItems: MAX_FINDINGS }),
  truncated_from: Type.Optional(Count),
  policy_sha256: Hex64,
})
const Change = closed({ index: Count, from: Decision, to: Decision, determining: Determining })
export const DiffResult = closed({
  changed: Type.Array(Change),
  counts_a: Counts,
  counts_b: Counts,
  policy_b_sha256: Hex64,
  ...set,
})
