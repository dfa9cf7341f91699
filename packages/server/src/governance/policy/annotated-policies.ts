/** Policies as their authors annotated them: `@id` names one, `@reason` is the code it gives, `@outcome` how grave it is. */
import { type DetailedError, policySetTextToParts, policyToJson } from '@cedar-policy/cedar-wasm/nodejs'
import { type PolicyFile, PolicySetError, SCHEMA_FILE, TOOLS_FILE } from './policy-files.ts'

export interface AnnotatedPolicy {
  id: string
  text: string
  effect: 'permit' | 'forbid'
  /** What a forbid that applies makes of the decision. */
  outcome: 'review' | 'deny'
  code: string
}

const ID = /^[a-z][a-z0-9-]{0,63}$/
const CODE = /^[A-Z][A-Z0-9_]{2,63}$/
const KNOWN = ['id', 'reason', 'outcome']

export function readPolicies(files: readonly PolicyFile[]): Map<string, AnnotatedPolicy> {
  const policies = new Map<string, AnnotatedPolicy>()
  for (const file of files) {
    if (file.name === SCHEMA_FILE || file.name === TOOLS_FILE) continue
    for (const text of partsOf(file)) {
      const policy = annotated(file.name, text)
      // A later policy of the same name would replace the earlier one in silence, and that may be a forbid.
      if (policies.has(policy.id)) throw new PolicySetError(`two policies are called ${policy.id}`)
      policies.set(policy.id, policy)
    }
  }
  if (policies.size === 0) throw new PolicySetError('the policy files hold no policy')
  return policies
}

function partsOf({ name, text }: PolicyFile): string[] {
  const parts = policySetTextToParts(text)
  if (parts.type === 'failure') throw new PolicySetError(`${name} does not parse: ${sentenceOf(parts.errors)}`)
  // Nothing links templates here, so one would stand in the file and never apply.
  if (parts.policy_templates.length > 0) throw new PolicySetError(`${name} holds a template, which nothing would link`)
  return parts.policies
}

function annotated(file: string, text: string): AnnotatedPolicy {
  const parsed = policyToJson(text)
  if (parsed.type === 'failure') throw new PolicySetError(`${file} does not parse: ${sentenceOf(parsed.errors)}`)
  const { effect, annotations = {} } = parsed.json
  const { id, reason, outcome = 'deny' } = annotations
  if (id === undefined || !ID.test(id))
    throw new PolicySetError(`a policy of ${file} has no @id of the form ${ID.source}`)
  const refuse = (why: string): never => {
    throw new PolicySetError(`policy ${id} of ${file} ${why}`)
  }
  // A mistyped annotation must not turn into the absence of one.
  const unknown = Object.keys(annotations).find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) refuse(`carries @${unknown}, which means nothing here`)
  if (effect === 'permit' && Object.keys(annotations).length > 1) refuse('is a permit and carries more than an @id')
  if (outcome !== 'review' && outcome !== 'deny') return refuse('has an @outcome that is neither "review" nor "deny"')
  const code = reason ?? (outcome === 'review' ? 'POLICY_REVIEW' : 'POLICY_FORBID')
  if (!CODE.test(code)) refuse(`has a @reason that is not of the form ${CODE.source}`)
  return { id, text, effect, outcome, code }
}

export const sentenceOf = (errors: readonly DetailedError[]): string =>
  errors
    .map(({ message }) => message)
    .join('; ')
    .slice(0, 500) || 'no cause was given'
