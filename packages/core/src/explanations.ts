/** Every reason code and gate rule in words: one title and one sentence of at most 120 characters each. The service, the
 *  command line, the pages and docs/reasons.md all read this table, so that a code means the same everywhere. */

export interface Explanation {
  code: string
  title: string
  sentence: string
}

/** Why a decision came out as it did. */
const REASONS: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
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

/** What the rules of the gates look for. Titles are those of packages/server/rules/gates.json. */
const RULES: Readonly<Record<string, readonly [title: string, sentence: string]>> = {
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
  T08: ['Active markup', 'The text holds a script, an event handler or a javascript: address.'],
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

export const REASON_EXPLANATIONS: readonly Explanation[] = Object.freeze(Object.entries(REASONS).map(asExplanation))
export const RULE_EXPLANATIONS: readonly Explanation[] = Object.freeze(Object.entries(RULES).map(asExplanation))

const TABLE: ReadonlyMap<string, Explanation> = new Map(
  [...REASON_EXPLANATIONS, ...RULE_EXPLANATIONS].map((entry) => [entry.code, entry]),
)

/** Null for a code that is not ours, such as one an operator's own policy names. */
export const explain = (code: string): Explanation | null => TABLE.get(code) ?? null

/** What is known of each code, each once, in the order they come. */
export const explainAll = (codes: Iterable<string>): Explanation[] =>
  [...new Set(codes)].flatMap((code) => TABLE.get(code) ?? [])
