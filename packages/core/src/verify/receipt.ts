// One receipt, in any of the forms it travels in, judged against what the reader brings. Takes anything, never throws.
import { GENESIS_PREV, RECEIPT_PAYLOAD_TYPE } from '../doctrine.ts'
import { organOf } from '../lake.ts'
import type { ReceiptBody } from '../receipt.ts'
import { readBody } from './body.ts'
import { decodedOf, restoreOf } from './decoded.ts'
import { checkInclusion } from './inclusion.ts'
import { checkLambda } from './lambda.ts'
import { type Presented, present } from './presented.ts'
import { type Check, check, makeReport, noEvidence, noInput, type Subject, type VerificationReport } from './report.ts'
import { isRecord } from './shape.ts'
import { checkClaims, checkKeyTrust, checkSignature } from './signature.ts'
import type { ChainContext, Trust } from './trust.ts'

export async function verifyReceipt(input: unknown, trust: Trust): Promise<VerificationReport> {
  if (isEmptyExport(input))
    return noInput('export', 'the export says that the ledger holds no receipt', trust.checkedAt)
  const timed = stopwatch(trust.clock)
  const presented = present(input)
  if (!presented) return noEvidence('unknown', 'this is no receipt, envelope or receipt export', trust.checkedAt)
  const structure = timed(checkStructure(presented))
  const signature = timed(await checkSignature(presented.envelope, RECEIPT_PAYLOAD_TYPE, trust))
  const digest = timed(checkDigest(presented, signature, trust.expectedDigest))
  const inclusion = timed(await checkInclusion(presented.bytes, presented.inclusion, presented.checkpoint, trust))
  const checks = [
    structure,
    signature,
    digest,
    timed(checkHashChain(presented, trust.chain, inclusion)),
    inclusion,
    timed(checkKeyTrust(signature, trust, presented.claimedKinds, presented.body?.ts_utc)),
    ...[presented.body && checkLambda(presented.body)].filter((found) => found !== null).map(timed),
  ]
  return makeReport(KINDS[presented.form], checks, subjectOf(presented), trust.checkedAt)
}

/** Each check takes what passed since the one before it. */
function stopwatch(clock: Trust['clock']): (found: Check) => Check {
  if (clock === undefined) return (found) => found
  let last = clock()
  return (found) => {
    const now = clock()
    const ms = now - last
    last = now
    return { ...found, ms }
  }
}

const KINDS = { envelope: 'envelope', record: 'receipt', export: 'export', body: 'receipt' } as const

/** The envelope of an empty export holds no bytes; one that does is judged like any other, whatever the words say. */
const isEmptyExport = (input: unknown): boolean =>
  isRecord(input) &&
  input.export_state === 'EMPTY' &&
  input.receipt_available === false &&
  (!isRecord(input.dsse) || input.dsse.payload === '')

function checkStructure({ faults, words, form, offline }: Presented): Check {
  const [first] = faults
  if (first !== undefined) return check('structure', 'MISMATCH', first, { form, faults: faults.slice(0, 8) })
  const agreement =
    words.length === 0
      ? 'nothing beside them contradicts it'
      : `what restates it agrees; nothing covers the sender’s words: ${words.join(', ')}`
  const holds = `the bytes are a canonical receipt body and ${agreement}`
  const reason = offline?.differs ? `${holds}; do not run its verify_offline: those are not the commands for it` : holds
  return check('structure', 'VERIFIED', reason, { form, not_covered: words })
}

/**
 * Somebody has to claim a digest before it can be verified: a field beside the bytes, the reader who asked for one, or
 * a signature that was just verified over the very bytes that were hashed. Without any of them the digest is computed
 * and stated, and the check stays open.
 */
function checkDigest({ digest, claimedDigests }: Presented, signature: Check, expected: string | undefined): Check {
  if (digest === null) return check('payload_digest', 'UNAVAILABLE', 'there are no readable bytes to hash')
  const claims =
    expected === undefined ? claimedDigests : [...claimedDigests, ['the digest asked for', expected] as const]
  const wrong = claims.find(([, claim]) => claim !== digest)
  if (wrong)
    return check('payload_digest', 'MISMATCH', `${wrong[0]} is not the SHA-256 of the bytes`, {
      computed: digest,
      claimed: typeof wrong[1] === 'string' ? wrong[1].slice(0, 80) : null,
    })
  return checkClaims('the bytes', { computed: digest, claimed_by: claims.map(([name]) => name) }, signature)
}

/**
 * With a ledger at hand both are needed: the link to the predecessor's bytes, and a walk that found no break up to here.
 * Without one, a signed checkpoint over the receipt is the nearest verified one: its path was walked, and it commits to
 * these bytes and so to the position and the predecessor they name. That the predecessor was not read is said.
 */
function checkHashChain({ body, digest }: Presented, context: ChainContext | undefined, inclusion: Check): Check {
  if (!body) return check('hash_chain', 'UNAVAILABLE', 'there is no readable receipt to link')
  const place = { chain: organOf(body.ns, body.chain), seq: body.seq, prev: body.prev }
  if (!context && inclusion.status === 'VERIFIED')
    return check('hash_chain', 'VERIFIED', COMMITTED, { ...place, predecessor_read: false })
  if (!context) return check('hash_chain', 'UNAVAILABLE', 'no ledger was at hand to walk its chain', place)
  const { from, to, broken_at, broken_somewhere = false } = context.walk
  const details = { ...place, digest, node_index: context.node_index, walked_from: from, walked_to: to, broken_at }
  if (context.digest !== undefined && context.digest !== digest)
    return check('hash_chain', 'UNAVAILABLE', 'the ledger at hand keeps another receipt in that place', details)
  const fault = linkFault(body, context.previous)
  if (fault) return check('hash_chain', 'MISMATCH', fault, details)
  if (broken_at !== null && broken_at <= context.node_index)
    return check('hash_chain', 'MISMATCH', `the ledger is broken at index ${broken_at}, ${UP_TO_HERE}`, details)
  if (broken_somewhere) return check('hash_chain', 'UNAVAILABLE', BROKEN_SOMEWHERE, details)
  if (context.node_index < from || context.node_index > to)
    return check('hash_chain', 'UNAVAILABLE', 'the link holds, but the walk did not reach this receipt', details)
  return check('hash_chain', 'VERIFIED', WALKED, details)
}

const WALKED = 'the link holds and the walk over the ledger found no break up to here'
const UP_TO_HERE = 'before or at this receipt'
const BROKEN_SOMEWHERE =
  'the link holds, but the ledger is known to be broken, and no walk has yet found at which index'

const COMMITTED =
  'position and predecessor are in the signed bytes, and a signed checkpoint covers them; the receipts before were not read'

function linkFault(body: ReceiptBody, previous: Uint8Array | null): string | null {
  if (body.seq === 0) return body.prev === GENESIS_PREV ? null : 'the first receipt of a chain follows 64 zeros'
  if (previous === null) return 'the ledger holds no predecessor of this receipt'
  const before = readBody(previous)
  if (!before.ok) return 'the predecessor in the ledger is not a receipt'
  if (before.digest !== body.prev) return 'prev is not the digest of the predecessor in the ledger'
  const { ns, chain, seq } = before.body
  return ns === body.ns && chain === body.chain && seq === body.seq - 1 ? null : 'the predecessor is of another place'
}

function subjectOf({ body, digest, offline }: Presented): Subject | null {
  if (digest === null) return null
  if (!body) return { digest }
  const { kind, ns, chain, seq, prev, ts_utc, payload } = body
  const restored = restoreOf(body)
  return {
    ...{ digest, kind, ns, chain, seq, prev, ts_utc, decision: payload.decision ?? null, decoded: decodedOf(body) },
    ...(restored && { restores: [restored] }),
    ...(offline && { verify_offline: offline.commands }),
  }
}
