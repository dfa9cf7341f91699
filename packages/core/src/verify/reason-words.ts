// What the reasons of a decision mean, one sentence each. Receipts carry the codes, which never change.

export const REASON_WORDS: Readonly<Record<string, string>> = Object.freeze({
  ALL_STAGES_PASSED: 'every gate, the policies, the budget and lambda let it pass',
  DECODE_BOUND: 'the text is nested or encoded deeper than is decoded, so not all of it was seen',
  GATE_ERROR: 'a gate failed, and what was not examined does not pass',
  GATE_TIMEOUT: 'a gate did not end in time, and what was not examined does not pass',
  THREAT_SIGNATURE: 'the text matches a rule for attacks or dangerous commands',
  PII_EGRESS: 'personal data would leave',
  SECRET_EGRESS: 'a secret would leave',
  SENSITIVITY_EGRESS: 'data of a higher class than allowed would leave',
  POLICY_ERROR: 'a policy could not be evaluated',
  POLICY_FORBID: 'a policy forbids it',
  POLICY_DEFAULT_DENY: 'no policy permits it',
  POLICY_REVIEW: 'a policy asks for a person to decide',
  TAINTED_ARGUMENT: 'an argument comes from a source that is not trusted',
  BUDGET_EXCEEDED: 'the risk budget of the session is used up',
  BUDGET_UNAVAILABLE: 'the risk budget of the session could not be read',
  LAMBDA_BELOW_FLOOR: 'lambda is below its floor, which holds the request for review',
  LAMBDA_UNAVAILABLE: 'lambda could not be computed',
  APPROVED_BY_REVIEW: 'a person approved exactly this request',
  APPROVAL_STALE: 'the approval named is not for this request, or is used up or expired',
})
