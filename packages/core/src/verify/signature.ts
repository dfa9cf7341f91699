// Two questions kept apart: does the signature verify under a pinned key, and what is that key worth.
import { type SignatureReport, verifyEnvelope } from '../dsse.ts'
import { type Check, check } from './report.ts'
import { isRecord } from './shape.ts'
import { pinnedKeys, type Trust, type TrustedKey } from './trust.ts'

export async function checkSignature(envelope: unknown, payloadType: string, trust: Trust): Promise<Check> {
  if (!isRecord(envelope)) return check('signature', 'UNSIGNED', 'no envelope came with it, so nothing is signed')
  const { status, reason, keyid } = await verifyEnvelope(envelope, pinnedKeys(trust), payloadType)
  return check('signature', status, sentence(status, reason, trust), { keyid, named: namedKeys(envelope) })
}

function sentence(status: SignatureReport['status'], reason: string, trust: Trust): string {
  if (status !== 'UNAVAILABLE') return reason
  return trust.keys.length === 0
    ? 'no key was given to verify with'
    : 'it is signed by a key that is not among those given'
}

const MOST_NAMED = 16
/** What the sender wrote, for the reader who looks for the right key. */
function namedKeys(envelope: Record<string, unknown>): string[] {
  const list = Array.isArray(envelope.signatures) ? envelope.signatures.slice(0, MOST_NAMED) : []
  return list.map((entry) => (isRecord(entry) ? entry.keyid : null)).filter((keyid) => typeof keyid === 'string')
}

/**
 * `claimedKinds` are the sender's words about the key. A demo key that is called production is a lie and condemns; the
 * pinned ring decides. A time outside the key's validity only withholds trust: a receipt that was drafted just before
 * a rotation may be signed just after it.
 */
export function checkKeyTrust(signature: Check, trust: Trust, claimedKinds: readonly unknown[], time?: string): Check {
  const unknown = (reason: string): Check => check('key_trust', 'UNAVAILABLE', reason, { kind: 'unknown' })
  if (signature.status === 'UNSIGNED') return unknown('nothing is signed, so there is no key to trust')
  if (signature.status === 'MISMATCH') return unknown('no signature verified, so there is no key to trust')
  const pinned = trust.keys.find(({ key }) => key.keyid === signature.details.keyid)
  if (signature.status !== 'VERIFIED' || !pinned) return unknown('the signing key is unknown here')
  const details = { kind: pinned.kind, keyid: pinned.key.keyid, from: pinned.from ?? null, to: pinned.to ?? null }
  const lie = claimedKinds.find((kind) => kind !== undefined && kind !== null && contradicts(kind, pinned))
  if (lie !== undefined)
    return check(
      'key_trust',
      'MISMATCH',
      `the key is called ${printable(lie)} but is pinned as ${pinned.kind}`,
      details,
    )
  if (time !== undefined && !isValidAt(pinned, time))
    return check('key_trust', 'UNAVAILABLE', 'the time it states lies outside the validity of the key', details)
  if (trust.requireProduction && pinned.kind !== 'production')
    return check('key_trust', 'UNAVAILABLE', `a production key is required and this is a ${pinned.kind} key`, details)
  return check('key_trust', ...worth(pinned), details)
}

function worth({ kind }: TrustedKey): ['VERIFIED' | 'UNAVAILABLE', string] {
  switch (kind) {
    case 'production':
      return ['VERIFIED', 'the signing key is pinned as a production key']
    case 'demo':
      return ['VERIFIED', 'the signing key is pinned as a demo key: it never counts as production']
    case 'caller-supplied':
      return ['UNAVAILABLE', 'the key was supplied for this check: whose it is has to be known from elsewhere']
  }
}

/** A key the caller supplied has no pinned kind that a claim could contradict. */
const contradicts = (claimed: unknown, { kind }: TrustedKey): boolean => kind !== 'caller-supplied' && claimed !== kind

const printable = (word: unknown): string =>
  typeof word === 'string' && /^[a-z-]{1,32}$/.test(word) ? word : 'something else'

/** Times of one fixed format, so that their order is that of their text. */
const isValidAt = ({ from, to }: TrustedKey, time: string): boolean => (!from || from <= time) && (!to || time < to)
