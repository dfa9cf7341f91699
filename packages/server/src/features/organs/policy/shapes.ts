/** What N25 is asked and what it answers. */
import Type, { type Static } from 'typebox'
import { AnyObject, Count, exactly, Hex64, Nullable, words } from '../../../domain/wire.ts'

const MAX_TEXT = 32 * 1024
export const MAX_DETERMINING = 32
export const MAX_ERRORS = 4
export const MAX_FINDINGS = 200

const Name = Type.Object(
  {
    type: Type.String({
      maxLength: 256,
      pattern: '^[_a-zA-Z][_a-zA-Z0-9]*(::[_a-zA-Z][_a-zA-Z0-9]*)*$',
      description: 'an entity type, such as `User` or `Orch::Tool`',
    }),
    id: Type.String({ maxLength: 1024 }),
  },
  exactly,
)
const question = {
  principal: Name,
  action: Name,
  resource: Name,
  context: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { default: {} })),
}
const requests = Type.Array(Type.Object(question, exactly), { minItems: 1, maxItems: 100 })
const text = Type.String({ maxLength: MAX_TEXT, description: 'Cedar policies' })
const schema = Type.Optional(Type.String({ maxLength: MAX_TEXT, description: 'a Cedar schema' }))
const under = {
  entities: Type.Optional(Type.Array(AnyObject, { maxItems: 200, default: [], description: "in Cedar's JSON form" })),
  policies: Type.Optional(text),
  schema,
}
export const AuthorizeRequest = Type.Object({ ...question, ...under }, exactly)
export const ValidateRequest = Type.Object({ policies: text, schema }, exactly)
export const BatchRequest = Type.Object({ requests, ...under }, exactly)
export const DiffRequest = Type.Object({ policies_b: text, requests, ...under }, exactly)

const Decision = words(['allow', 'deny'])
const decided = {
  /** Allowed, and no policy erred on the way. */
  approved: Type.Boolean(),
  decision: Decision,
  determining: Type.Array(Type.String(), { maxItems: MAX_DETERMINING }),
  errors: Type.Array(Type.String(), { maxItems: MAX_ERRORS }),
  truncated_from: Type.Optional(Type.Object({ determining: Count, errors: Count }, exactly)),
}
const Decided = Type.Object(decided, exactly)
export type Decided = Static<typeof Decided>
const set = { policy_sha256: Hex64, source: words(['active', 'request']) }
const Counts = Type.Object({ allow: Count, deny: Count, with_errors: Count }, exactly)

export const AuthorizeResult = Type.Object({ ...decided, reviewable: Type.Boolean(), ...set }, exactly)
export const BatchResult = Type.Object({ decisions: Type.Array(Decided), counts: Counts, ...set }, exactly)
const Problem = Type.Object(
  {
    policy: Type.String(),
    severity: words(['error', 'warning']),
    message: Type.String(),
    start: Nullable(Count),
    end: Nullable(Count),
  },
  exactly,
)
export const ValidateResult = Type.Object(
  {
    valid: Type.Boolean(),
    findings: Type.Array(Problem, { maxItems: MAX_FINDINGS }),
    truncated_from: Type.Optional(Count),
    policy_sha256: Hex64,
  },
  exactly,
)
const Change = Type.Object(
  { index: Count, from: Decision, to: Decision, determining: Type.Array(Type.String(), { maxItems: MAX_DETERMINING }) },
  exactly,
)
export const DiffResult = Type.Object(
  { changed: Type.Array(Change), counts_a: Counts, counts_b: Counts, policy_b_sha256: Hex64, ...set },
  exactly,
)
