/** Every reason code and gate rule in words: one title and one sentence of at most 120 characters each. The service, the
 *  command line, the pages and docs/reasons.md all read this table, so that a code means the same everywhere. */

export interface Explanation {
  code: string
  title: string
  sentence: string
}

type Table = Readonly<Record<string, readonly [title: string, sentence: string]>>

/** Why a decision came out as it did. */
const REASONS: Table = {
  ALL_STAGES_PASSED: [
    'Every check passed',
    'No gate, no policy, no risk budget and no score held or denied the request.',
  ],
  DECODE_BOUND: [
    'Too much encoded text',
    'The text holds more encoded layers than are decoded, so a person should look.',
  ],
  GATE_ERROR: ['A gate failed', 'A gate could not examine the text, and what is not examined is not allowed.'],
  GATE_TIMEOUT: [
    'A gate ran out of time',
    'The text was not fully examined within the time limit, so a person should look.',
  ],
  THREAT_SIGNATURE: ['Threat found in the text', 'A rule of the threat scan matched; the findings name it.'],
  PII_EGRESS: [
    'Personal data in the text',
    'The text holds a personal or financial identifier; the findings show where.',
  ],
  SECRET_EGRESS: ['Secret in the text', 'The text holds a key, token or password; the findings show where.'],
  SENSITIVITY_EGRESS: [
    'Sensitive text would leave',
    'The text is too sensitive for a model outside this installation.',
  ],
  POLICY_ERROR: [
    'The policy engine failed',
    'The policies could not be evaluated, and what cannot be checked is denied.',
  ],
  POLICY_FORBID: ['A policy forbids it', 'A forbid policy of the operator applies; policy.determining names it.'],
  POLICY_DEFAULT_DENY: [
    'No policy permits it',
    'Effects need a permit and none applies; policy.hint says which file to edit.',
  ],
  POLICY_REVIEW: ['A policy asks for a person', 'A policy holds this action until somebody approves it.'],
  TAINTED_ARGUMENT: [
    'Argument copied from tool output',
    'Text that a tool returned stands in an argument of an action that changes things.',
  ],
  BUDGET_EXCEEDED: ['Risk budget used up', 'The session has spent its risk budget; a person decides about the rest.'],
  BUDGET_UNAVAILABLE: [
    'Risk budget unknown',
    'The store did not say what the session has spent, so a person should look.',
  ],
  LAMBDA_BELOW_FLOOR: [
    'Lambda below its floor',
    'The combined score lies below 0.90; it can hold a request and never lets one pass.',
  ],
  LAMBDA_UNAVAILABLE: [
    'Lambda could not be computed',
    'A score without its inputs is no score, so a person should look.',
  ],
  APPROVED_BY_REVIEW: [
    'Approved by a person',
    'A review of exactly this request was approved, and this decision used it up.',
  ],
  APPROVAL_STALE: [
    'The approval does not fit',
    'The named review is not approved, was used, expired, or is of another request or policy.',
  ],
  RISK_CEILING: ['Risk over the ceiling', 'The estimated risk of this step is over the ceiling that nobody can lift.'],
  EXPERT_UNAVAILABLE: [
    'A mandatory expert gave no answer',
    'An expert that has to be asked did not answer, so a person should look.',
  ],
  UNKNOWN_EXPERT: ['Unknown expert requested', 'The request names an expert that does not exist here.'],
  RISK_FLOOR: ['Risk worth a look', 'The estimated risk of this step alone is high enough for a person to look.'],
  EXPERT_BLOCK: [
    'An expert blocks it',
    'An expert that has to be asked says that this must not happen without a person.',
  ],
  DAY_BUDGET_EXCEEDED: [
    'Risk budget of the day used up',
    'The owner has spent the risk budget of this UTC day over all sessions.',
  ],
  NEAR_BUDGET: ['Close to the risk budget', 'The step would leave almost nothing of the risk budget of its session.'],
  WITHIN_BUDGET: ['Within the risk budget', 'All checks passed and the step fits into the risk budget of its session.'],
}

/** How a run of the agent ended before its plan was done, or that it was done. */
const HALTS: Table = {
  DONE: ['The plan was carried out', 'Every step of the plan ran, and nothing is left to do.'],
  GATE_DENY: ['A step was denied', 'A gate or policy denied a step, and the run ended there.'],
  REVIEW_REQUIRED: ['A step waits for a person', 'The run stopped at a step that somebody has to approve.'],
  PLAN_EMPTY: ['The plan holds no step', 'There was nothing to run, so nothing was done and nothing is permitted.'],
  NEEDS_INPUT: [
    'A part of the goal was not understood',
    'The planner needs more from the caller; planner.needs says what for each clause.',
  ],
  NO_PROGRESS: ['The run made no progress', 'The same call gave the same observation twice, so the run was ended.'],
  MAX_STEPS: ['The plan has too many steps', 'The plan goes on beyond max_steps; what is left of it did not run.'],
  DEADLINE: ['The time of the run is over', 'The deadline passed before the plan was done; the rest did not run.'],
  TOOL_ERROR: ['A tool failed', 'A tool refused its arguments or failed; halt.reason says which way.'],
  PLANNER_ERROR: ['The planner failed', 'The model that plans gave no usable next step; halt.reason says why.'],
}

/** Why an intent or its evidence was not admitted, and why a capsule did not replay. */
const ANATOMY: Table = {
  INVALID_REQUEST: ['The intent is malformed', 'The request lacks a field or holds a wrong one; errors names each.'],
  IDENTITY_NOT_AUTHENTICATED: [
    'The sender is not that principal',
    'The credential does not prove the principal that the intent names, so a person should look.',
  ],
  UNKNOWN_ACTION: ['No permit covers the action', 'The action is none of the known ones, or no permit applies to it.'],
  PRINCIPAL_DISABLED: ['The principal is disabled', 'The identity that the intent names is switched off.'],
  TENANT_MISMATCH: ['Another tenant', 'The principal and the resource do not belong to the same tenant.'],
  RISK_LIMIT_EXCEEDED: ['Risk over the limit', 'The risk that the intent states is over what policy allows.'],
  ASSURANCE_INSUFFICIENT: [
    'Too little assurance',
    'The assurance of the identity is below what the resource asks for.',
  ],
  PURPOSE_NOT_ALLOWED: ['Purpose not allowed', 'The resource is not open to the purpose that the intent states.'],
  EFFECT_NOT_ALLOWED: ['Effect not allowed', 'The resource is not open to the effect that the intent states.'],
  INVALID_EVIDENCE_DIGEST: ['Malformed evidence digest', 'The evidence digest that the intent names is no SHA-256.'],
  UNTRUSTED_NETWORK: ['Untrusted network', 'The action may not come from the network zone that the intent states.'],
  HUMAN_APPROVAL_REQUIRED: [
    'Approval of a person needed',
    'The action needs an approval that the intent does not state.',
  ],
  MFA_REQUIRED: ['Second factor needed', 'The action needs a second factor that the intent does not state.'],
  EVIDENCE_DIGEST_REQUIRED: [
    'Evidence digest needed',
    'A privileged action names the digest of its evidence; this does not.',
  ],
  EVIDENCE_REQUIRED: [
    'The intent names no evidence',
    'The intent has to name the digest of the statement it rests on.',
  ],
  EVIDENCE_MISSING: ['No statement came with it', 'The intent was sent without the statement that it rests on.'],
  STATEMENT_DIGEST_MATCHED: ['The evidence is the named one', 'The intent names the digest of exactly this statement.'],
  STATEMENT_DIGEST_MISMATCH: [
    'Other evidence than named',
    'The intent names another digest than that of this statement.',
  ],
  EVIDENCE_INVALID: ['The evidence is malformed', 'The envelope or statement breaks a rule of its format.'],
  ENVELOPE_MALFORMED: [
    'No DSSE envelope',
    'The envelope is not a DSSE envelope with a payload and signatures in base64.',
  ],
  PAYLOAD_NOT_JSON: ['The payload is not JSON', 'The signed bytes are not one strict JSON value in UTF-8.'],
  PAYLOAD_NUMBER_INEXACT: [
    'A number that no double holds',
    'Two readers of the signed bytes could see different numbers, so the evidence is blocked.',
  ],
  PAYLOAD_TYPE_WRONG: ['Not an in-toto payload', 'The payload type is not application/vnd.in-toto+json.'],
  SIGNATURE_INVALID: ['A signature contradicts', 'A signature does not verify under the trusted key that it names.'],
  VERIFICATION_UNPROVEN: ['Too few valid signatures', 'Fewer trusted keys than required signed this statement.'],
  DEMO_KEY_ONLY: ['Signed by a demo key', 'Production keys alone do not reach the required number of signatures.'],
  NOT_SLSA_V1: ['Not SLSA provenance v1', 'The predicate is not https://slsa.dev/provenance/v1.'],
  BUILDER_UNTRUSTED: [
    'The builder is not trusted',
    'The builder of the statement is not on the list of trusted builders.',
  ],
  STATEMENT_NOT_CANONICAL: [
    'No canonical form',
    'The statement cannot be written in canonical JSON, so it has no digest.',
  ],
  STATEMENT_TYPE_INVALID: ['Not an in-toto statement', 'The field _type is not https://in-toto.io/Statement/v1.'],
  SUBJECT_INVALID: ['The subjects are malformed', 'Each subject needs a name and a SHA-256, and there has to be one.'],
  PREDICATE_TYPE_BLANK: ['No predicate type', 'The statement does not say what kind of predicate it holds.'],
  PREDICATE_NOT_OBJECT: ['No predicate', 'The predicate of the statement is not an object.'],
  SLSA_BUILD_TYPE_MISSING: ['No build type', 'The provenance does not say how the build was done.'],
  SLSA_BUILDER_ID_MISSING: ['No builder', 'The provenance does not say who built it.'],
  INPUT_DIGEST_MISMATCH: ['Other input than recorded', 'The input in the capsule does not have the digest it states.'],
  POLICY_DRIFT: ['The policy has changed', 'The policies in force are not those that the capsule was made under.'],
  POLICY_RUNTIME_STALE: ['The policy engine has changed', 'The engine is not the one that the capsule was made with.'],
  RESULT_DIGEST_MISMATCH: ['Another result than recorded', 'Running the capsule again gave a different result.'],
  OUTPUT_LIMIT_EXCEEDED: ['The result is too large', 'The analysis gives more than an answer may hold; send less.'],
  CAPSULE_INVALID: ['The capsule is malformed', 'The capsule lacks a field or holds a wrong one.'],
}

/** What the rules of the gates look for. Titles are those of packages/server/rules/gates.json. */
const RULES: Table = {
  T01: [
    'Override of earlier instructions',
    'The text tells the assistant to ignore or forget what it was instructed before.',
  ],
  T02: ['Removal of guardrails addressed to the assistant', 'The text tells the assistant to drop its safety rules.'],
  T03: ['Persona that has no rules', 'The text asks the assistant to act as somebody for whom no rules hold.'],
  T04: ['Extraction of the hidden prompt', 'The text asks for the system prompt or hidden instructions.'],
  T05: ['Credential sent to a destination', 'The text orders that a password, key or token be sent somewhere.'],
  T06: ['Destructive shell command', 'The text holds a shell command that deletes or overwrites, or runs a download.'],
  T07: ['SQL in statement form', 'The text holds an SQL statement that changes or dumps data, or an injection.'],
  T08: ['Active markup', 'The text holds a script, an event handler or an address that runs one.'],
  T09: [
    'Local file or metadata address',
    'The text points at a protected file, climbs out of a folder or names a metadata service.',
  ],
  T10: [
    'Auto-loaded link that carries data',
    'A link that loads by itself would carry encoded data to a foreign host.',
  ],
  T11: ['Forged role marker', 'The text imitates the markers that separate system, user and assistant.'],
  T12: [
    'Hidden carrier',
    'A rule matched only after decoding, unmasking look-alikes or removing invisible characters.',
  ],
  T13: ['Transfer of value', 'The text orders a payment or a transfer to an account or wallet.'],
  T14: ['Overclaim', 'The text promises more than anyone can, such as complete safety.'],
  T15: [
    'Instruction to the assistant inside data',
    'Retrieved text or tool output speaks to the assistant instead of about its subject.',
  ],
  T16: [
    'Learned likeness to a jailbreak',
    'A trained scorer finds the text similar to known jailbreaks; it can only hold.',
  ],
  T17: ['Remote shell', 'The text holds a command that opens a shell of this machine to another one.'],
  T18: [
    'Destructive infrastructure command',
    'The text holds a cloud, cluster, infrastructure or repository command that destroys.',
  ],
  T19: [
    'Upload of a key or credential file',
    'The text holds a command that sends a key or credential file elsewhere.',
  ],
  T20: [
    'Audit, logging or monitoring disabled',
    'The text holds a command that stops or erases audit, logs or monitoring.',
  ],
  T21: [
    'Instruction to the assistant inside a comment',
    'A comment inside retrieved text or tool output gives orders to the assistant.',
  ],
  T22: [
    'Order to destroy or to stop watching',
    'The text orders, in plain words, to destroy what production holds or to switch off audit and logs.',
  ],
  P01: ['US social security number', 'The text holds a number that is valid as a US social security number.'],
  P02: ['Payment card number', 'The text holds a number that is valid as a payment card.'],
  P03: ['IBAN', 'The text holds a valid international bank account number.'],
  P04: ['US bank routing number', 'The text holds a valid US bank routing number near a word that says so.'],
  P05: ['E-mail address', 'The text holds an e-mail address; noted, not stopped.'],
  P06: ['Telephone number', 'The text holds a telephone number; noted, not stopped.'],
  P07: ['NHS number', 'The text holds a valid NHS number near a word that says so.'],
  P08: ['Medical record number', 'The text holds a medical record number near a word that says so.'],
  P09: ['Bulk contact data', 'The text holds three or more different e-mail addresses or telephone numbers.'],
  P20: ['Private key block', 'The text holds the body of a private key.'],
  P21: ['Cloud access key', 'The text holds an access key of a cloud provider.'],
  P22: ['Code host token', 'The text holds an access token of a code host.'],
  P23: ['Chat platform token', 'The text holds a token of a chat platform.'],
  P24: ['Payment platform key', 'The text holds a secret key of a payment platform.'],
  P25: ['Signed JSON web token', 'The text holds a signed JSON web token.'],
  P26: ['Assigned secret', 'The text assigns what looks like a real password, key or token.'],
  P27: ['Credentials inside an address', 'The text holds an address with a user name and password in it.'],
  'S-MARK': ['Classification marking', 'The text carries a banner marking that makes it SECRET.'],
  'S-CRED': ['Credential', 'The text holds a credential, which makes it SECRET.'],
  'S-INT': ['Internal phrase', 'The text says that it is not for outsiders, which makes it INTERNAL.'],
  'S-PID': ['Personal identifier', 'The text holds a personal identifier, which makes it RESTRICTED.'],
  'S-TOPIC': ['Restricted topics', 'Two restricted topics stand close together, which makes the text RESTRICTED.'],
}

const asExplanation = ([code, [title, sentence]]: [string, readonly [string, string]]): Explanation => ({
  code,
  title,
  sentence,
})

export const REASON_EXPLANATIONS: readonly Explanation[] = Object.freeze(
  Object.entries({ ...REASONS, ...HALTS, ...ANATOMY }).map(asExplanation),
)
export const RULE_EXPLANATIONS: readonly Explanation[] = Object.freeze(Object.entries(RULES).map(asExplanation))

const TABLE: ReadonlyMap<string, Explanation> = new Map(
  [...REASON_EXPLANATIONS, ...RULE_EXPLANATIONS].map((entry) => [entry.code, entry]),
)

/** Null for a code that is not ours, such as one an operator's own policy names. */
export const explain = (code: string): Explanation | null => TABLE.get(code) ?? null

/** What is known of each code, each once, in the order they come. */
export const explainAll = (codes: Iterable<string>): Explanation[] =>
  [...new Set(codes)].flatMap((code) => TABLE.get(code) ?? [])
