/** Whether policy permits an intent. Evaluation only: nothing here can be executed. */
import type { Authorize, PolicyRequest, PolicyVerdict } from '../../../domain/policy/authorization.ts'
import type { IntentResult } from '../schemas.ts'
import { digestForm, type Fault, outcomeOf, sorted } from './json-shape.ts'
import { type Parc, readParc } from './parc.ts'

export const READ_ACTIONS = Object.freeze(['ReadResource', 'ExportEvidence'])
export const PRIVILEGED_ACTIONS = Object.freeze([
  ...['InvokeTool', 'WriteResource', 'DeployArtifact', 'ApproveDecision', 'SignReceipt', 'AdministerPolicy'],
])
const KNOWN_ACTIONS: readonly string[] = [...READ_ACTIONS, ...PRIVILEGED_ACTIONS]

/** Who asks, and when. */
export interface Asking {
  /** The identity the credential proves; null where none was told apart. */
  bearer: string | null
  /** Null where the intent is a counterfactual and its own time is not judged. */
  now: number | null
}

/** A request that is not one is a result too: blocked, with every fault, and the engine is not asked. */
export function evaluateIntent(value: unknown, authorize: Authorize, { bearer, now }: Asking): IntentResult {
  const read = readParc(value, now)
  if (!read.ok) return invalidRequest(read.faults)
  return intentResult(read.parc, authorize(intentRequest(read.parc)), bearer)
}

const invalidRequest = (faults: Fault[]): IntentResult => ({
  ...{ outcome: 'BLOCK', reasons: ['INVALID_REQUEST'], deny: ['INVALID_REQUEST'], review: [], forbids: [] },
  ...{
    determining: [],
    sources: {},
    errors: faults,
    policy: 'cedar.intent.v1',
    engine: 'cedar-wasm',
    cedarExecuted: false,
  },
  ...{ policyDigest: null, policyEligible: false, action: null, principal: null, resource: null },
})

function intentRequest({ principal, action, resource, context }: Parc): PolicyRequest {
  const { evidenceDigest, ...facts } = context
  return {
    principal: nameOf(principal),
    action: nameOf(action),
    resource: nameOf(resource),
    context: {
      ...facts,
      evidenceDigestForm: digestForm(evidenceDigest),
      ...(evidenceDigest == null ? {} : { evidenceDigest }),
    },
    entities: [principal, resource].map((entity) => ({ uid: nameOf(entity), attrs: entity.attrs, parents: [] })),
  }
}

function intentResult(
  { principal, action, resource }: Parc,
  verdict: PolicyVerdict,
  bearer: string | null,
): IntentResult {
  const deny = sorted(denyCodes(action.id, verdict))
  const forbidden = verdict.forbids.filter(({ outcome }) => outcome === 'review').map(({ code }) => code)
  // What is denied stays denied whoever asks. What would be allowed is allowed to the one it names and to nobody else.
  const unproven = deny.length === 0 && principal.id !== bearer ? ['IDENTITY_NOT_AUTHENTICATED'] : []
  const review = sorted([...forbidden, ...unproven])
  const outcome = outcomeOf(deny, review, verdict.outcome === 'allow')
  return {
    ...{ outcome, reasons: sorted([...deny, ...review]), deny, review },
    forbids: verdict.forbids.map(({ id }) => id),
    determining: [...verdict.determining],
    sources: Object.fromEntries(verdict.forbids.map(({ code, id }) => [code, id])),
    errors: [...verdict.errors],
    policy: 'cedar.intent.v1',
    engine: 'cedar-wasm',
    cedarExecuted: true,
    policyDigest: verdict.policy_digest,
    policyEligible: outcome === 'ALLOW',
    ...{ action: nameOf(action), principal: nameOf(principal), resource: nameOf(resource) },
  }
}

/** No permit covers an action outside the list, whether or not a forbid spoke first. */
function denyCodes(action: string, verdict: PolicyVerdict): string[] {
  const codes = verdict.forbids.filter(({ outcome }) => outcome === 'deny').map(({ code }) => code)
  if (verdict.errors.length > 0) codes.push('POLICY_ERROR')
  const withoutPermit = verdict.reasons.includes('POLICY_DEFAULT_DENY')
  if (withoutPermit || !KNOWN_ACTIONS.includes(action)) codes.push('UNKNOWN_ACTION')
  // A deny that gives no code of its own must still not read as the absence of one.
  return codes.length === 0 && verdict.outcome === 'deny' ? [...verdict.reasons] : codes
}

/** Only the bearer of that very identity is authenticated as it; the request itself proves nothing about its sender. */
export const isAuthenticated = (result: IntentResult, bearer: string | null): boolean =>
  bearer !== null && result.principal?.id === bearer

const nameOf = ({ type, id }: { type: string; id: string }) => ({ type, id })
