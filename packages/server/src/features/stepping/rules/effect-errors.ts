// What a failed delivery means for the next try. Only codes are looked at: a message is text from the other side.

export const ERROR_CLASSES = ['TRANSIENT', 'PERMANENT', 'UNCLASSIFIED'] as const
export type ErrorClass = (typeof ERROR_CLASSES)[number]

export interface EffectError {
  class: ErrorClass
  code: string
  /** ISO 8601. */
  at: string
}

export const FINAL_LEASE = 'LEASE_EXPIRED_FINAL_ATTEMPT'

const TRANSIENT = new Set([
  'EAGAIN',
  'EBUSY',
  'EIO',
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOTSUP',
  'ETIMEDOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'HTTP_408',
  'HTTP_425',
  'HTTP_429',
  'HTTP_5XX',
  'STORE_BUSY',
  'LEASE_EXPIRED',
  FINAL_LEASE,
])
const PERMANENT = new Set(['EACCES', 'EROFS', 'ENAMETOOLONG', 'PAYLOAD_INVALID', 'ARTIFACT_CONFLICT', 'HTTP_4XX'])

export function errorClass(code: string): ErrorClass {
  if (TRANSIENT.has(code) || /^HTTP_5[0-9]{2}$/.test(code)) return 'TRANSIENT'
  return PERMANENT.has(code) || /^HTTP_4[0-9]{2}$/.test(code) ? 'PERMANENT' : 'UNCLASSIFIED'
}
