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

/** A digest that was computed counts as verified where something claims it or a verified signature covers its bytes. */
export function checkClaims(
  what: string,
  details: { computed: string; claimed_by: string[] },
  signature: Check,
): Check {
  if (details.claimed_by.length > 0)
    return check('payload_digest', 'VERIFIED', `the SHA-256 of ${what} is the one claimed`, details)
  if (signature.status === 'VERIFIED')
    return check('payload_digest', 'VERIFIED', 'the verified signature covers the very bytes that were hashed', details)
  return check('payload_digest', 'UNAVAILABLE', 'nothing claims a digest; the computed one is stated', details)
}

const MAX_NAMED = 16
/** What the sender wrote, for the reader who looks for the right key. */
function namedKeys(envelope: Record<string, unknown>): string[] {
  const list = Array.isArray(envelope.signatures) ? envelope.signatures.slice(0, MAX_NAMED) : []
  return list.map((entry) => (isRecord(entry) ? entry.keyid : null)).filter((keyid) => typeof keyid === 'string')
}

/**
 * `claimedKinds` is what the signed bytes and the sender's words call the key. A demo key that is called production is a
 * lie and condemns. One that is called demo is one, whatever the reader pinned it as: that only ever takes trust away. A
 * time outside the key's validity only withholds trust: a receipt that was drafted just before a rotation may be signed
 * just after it.
 */
export function checkKeyTrust(signature: Check, trust: Trust, claimedKinds: readonly unknown[], time?: string): Check {
  const unknown = (reason: string): Check => check('key_trust', 'UNAVAILABLE', reason, { kind: 'unknown' })
  if (signature.status === 'UNSIGNED') return unknown('nothing is signed, so there is no key to trust')
  if (signature.status === 'MISMATCH') return unknown('no signature verified, so there is no key to trust')
  const pinned = trust.keys.find(({ key }) => key.keyid === signature.details.keyid)
  if (signature.status !== 'VERIFIED' || !pinned) return unknown('the signing key is unknown here')
  const details = { kind: pinned.kind, keyid: pinned.key.keyid, from: pinned.from ?? null, to: pinned.to ?? null }
  const claims = claimedKinds.filter((kind) => kind !== undefined && kind !== null)
  const isDemo = pinned.kind === 'demo' || claims.includes('demo')
  const lie = claims.find((kind) => !(isDemo ? kind === 'demo' : kind === 'production'))
  if (lie !== undefined) return check('key_trust', 'MISMATCH', contradiction(lie, pinned), details)
  if (time !== undefined && !isValidAt(pinned, time))
    return check('key_trust', 'UNAVAILABLE', 'the time it states lies outside the validity of the key', details)
  if (isDemo)
    return check('key_trust', 'DEMO', demoReason(pinned, trust), { ...details, kind: 'demo', pinned_as: pinned.kind })
  if (trust.requireProduction && pinned.kind !== 'production')
    return check('key_trust', 'UNAVAILABLE', `a production key is required and this is a ${pinned.kind} key`, details)
  return check('key_trust', ...worth(pinned.kind as 'production' | 'caller-supplied'), details)
}

function demoReason({ kind }: TrustedKey, { requireProduction }: Trust): string {
  if (requireProduction) return 'a production key is required and this is a demo key'
  if (kind === 'production') return 'the file calls the signing key a demo key, though it is pinned as production here'
  if (kind === 'demo') return 'the signing key is pinned as a demo key: it never counts as production'
  return 'the file calls the signing key a demo key: it never counts as production'
}

const contradiction = (claimed: unknown, { kind }: TrustedKey): string =>
  kind === 'caller-supplied'
    ? `the file calls the key ${printable(claimed)}, which is no kind of key or not what else it calls it`
    : `the key is called ${printable(claimed)} but is pinned as ${kind}`

function worth(kind: Exclude<TrustedKey['kind'], 'demo'>): ['VERIFIED' | 'UNAVAILABLE', string] {
  return kind === 'production'
    ? ['VERIFIED', 'the signing key is pinned as a production key']
    : ['UNAVAILABLE', 'the key was supplied for this check: whose it is has to be known from elsewhere']
}

const printable = (word: unknown): string =>
  typeof word === 'string' && /^[a-z-]{1,32}$/.test(word) ? word : 'something else'

/** Times of one fixed format, so that their order is that of their text. */
const isValidAt = ({ from, to }: TrustedKey, time: string): boolean => (!from || from <= time) && (!to || time < to)
