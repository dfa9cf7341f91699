/** What every reply of this surface says about itself. */
export const EVALUATION = { evaluationOnly: true, executable: false } as const

export const DISCLOSURE =
  'Evaluation only: policy says what it would permit, nothing is executed and no authority is given. Identity is the caller’s credential, never the request’s own word; trust is the operator’s ring of keys, never the evidence’s own word.'

export const REQUEST_LIMIT_BYTES = 262_144
export const BODY_LIMIT_MS = 5_000

export const ANATOMY_OPERATIONS = Object.freeze(['authorize', 'evaluate', 'bind', 'analyze', 'replay'] as const)
export type AnatomyOperation = (typeof ANATOMY_OPERATIONS)[number]

export const SECURITY_HEADERS = Object.freeze({
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'content-security-policy':
    "default-src 'none'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
})
