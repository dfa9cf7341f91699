// The checks of a whole ledger export, from what reading it found. A fault stops the reading, so whatever could
// only be said of the whole file stays open then.
import type { BreakReason } from '../chain.ts'
import { hexEncode } from '../encoding.ts'
import { readCheckpoint } from './inclusion.ts'
import type { LedgerFindings } from './ledger-export.ts'
import { type Check, type CheckName, check, makeReport, noInput, type VerificationReport, worstOf } from './report.ts'
import { checkKeyTrust } from './signature.ts'
import type { Trust } from './trust.ts'

export async function judgeLedger(found: LedgerFindings, trust: Trust): Promise<VerificationReport> {
  if (found.lines === 0) return noInput('ledger-export', 'the file is empty', trust.checkedAt)
  if (!found.fault && found.walk.count === 0)
    return noInput('ledger-export', 'the export holds no receipt', trust.checkedAt)
  const checks = [
    checkStructure(found),
    checkSignatures(found),
    checkDigests(found),
    checkChain(found),
    await checkRoot(found, trust),
    checkKeys(found, trust),
    ...checkLambdas(found),
  ]
  return makeReport('ledger-export', checks, subjectOf(found), trust.checkedAt)
}

function subjectOf({ header, walk, fault, lines, restores }: LedgerFindings): VerificationReport['subject'] {
  const first_bad = fault && { line: fault.line, reason: fault.sentence, ...place(fault) }
  return {
    digest: walk.root,
    origin: header?.origin ?? null,
    receipts: walk.count,
    lines,
    heads: walk.heads,
    first_bad,
    ...(restores.count > 0 && { restore_count: restores.count, restores: restores.first }),
  }
}

const place = ({ broken }: NonNullable<LedgerFindings['fault']>) => ({
  node_index: broken?.broken_at ?? null,
  chain: broken?.chain ?? null,
  seq: broken?.seq ?? null,
})

/** Which check a break of the walk speaks against. The lake hash is what claims each digest in this format. */
const ACCUSED: Record<BreakReason, CheckName> = {
  not_canonical: 'structure',
  not_a_receipt: 'structure',
  digest_mismatch: 'payload_digest',
  leaf_mismatch: 'payload_digest',
  lake_mismatch: 'payload_digest',
  signature_invalid: 'signature',
  signature_missing: 'signature',
  index_gap: 'hash_chain',
  seq_gap: 'hash_chain',
  prev_mismatch: 'hash_chain',
  missing: 'hash_chain',
  beyond_size: 'hash_chain',
  root_mismatch: 'inclusion',
  not_borne_out: 'hash_chain',
}

function accusation(name: CheckName, { fault }: LedgerFindings): Check | null {
  if (!fault) return null
  const accused = fault.broken ? ACCUSED[fault.broken.reason] : 'structure'
  if (accused !== name) return check(name, 'UNAVAILABLE', `not judged: the file is at fault on line ${fault.line}`)
  return check(name, 'MISMATCH', `line ${fault.line}: ${fault.sentence}`, { line: fault.line, ...fault.broken })
}

const CR_LF =
  'the lines end in CR LF and an export has LF alone: the file was changed on its way; verify it as it was written'

/** Line ends that a transfer changed contradict nobody, and what was changed is not the export either. */
const checkStructure = (found: LedgerFindings): Check =>
  accusation('structure', found) ??
  (found.isCrLf ? check('structure', 'UNAVAILABLE', CR_LF, { lines: found.lines }) : null) ??
  check('structure', 'VERIFIED', 'header, every receipt line and footer are as the format has them', {
    lines: found.lines,
    not_covered: ['keys'],
  })

function checkSignatures(found: LedgerFindings): Check {
  const accused = accusation('signature', found)
  if (accused) return accused
  const { verified, unsigned, samples, unknown, firstUnsigned } = found.signatures
  const details = { verified, unsigned, unsigned_samples: samples, unknown, first_unsigned: firstUnsigned }
  if (unsigned > 0)
    return check('signature', 'UNSIGNED', `${unsigned} of ${found.walk.count} receipts carry no signature`, details)
  if (unknown > 0)
    return check('signature', 'UNAVAILABLE', `${unknown} receipts are signed by keys that were not given`, details)
  if (verified === 0)
    return check('signature', 'UNSIGNED', 'the file holds samples alone, and nobody signs those', details)
  const all = samples === 0 ? 'every receipt' : `every receipt but ${samples} simulated samples`
  return check('signature', 'VERIFIED', `${all} carries a signature that verifies under a trusted key`, details)
}

const checkDigests = (found: LedgerFindings): Check =>
  accusation('payload_digest', found) ??
  check('payload_digest', 'VERIFIED', 'every digest was recomputed and is the one its lake hash covers', {
    digests: found.walk.count,
  })

const checkChain = (found: LedgerFindings): Check =>
  accusation('hash_chain', found) ??
  check('hash_chain', 'VERIFIED', 'every chain was walked from genesis to its head', {
    chains: found.walk.heads.length,
  })

/** Where the reader brought a checkpoint, both count: the one in the file was chosen by whoever made the file. */
async function checkRoot(found: LedgerFindings, trust: Trust): Promise<Check> {
  const accused = accusation('inclusion', found)
  if (accused) return accused
  const { header, rootAtCheckpoint, supplied } = found
  const inside = await judgeCheckpoint(found, header?.checkpoint, rootAtCheckpoint, trust)
  if (!supplied || inside.status === 'MISMATCH') return inside
  const brought = await judgeCheckpoint(found, supplied.checkpoint, supplied.root, trust)
  const covered = brought.details.covered
  if (brought.status === 'MISMATCH') return brought
  if (covered === undefined) return { ...brought, reason: 'no known log key signed the given checkpoint' }
  const all = `all ${covered} receipts that the given checkpoint covers are here`
  if (covered === found.walk.count) return { ...brought, reason: `${all}, and none beside them` }
  return { ...inside, reason: `${all}; of all ${found.walk.count}, ${inside.reason}`, details: brought.details }
}

/** `covered`: how many receipts a signed checkpoint bears out. */
async function judgeCheckpoint(
  { walk, header }: LedgerFindings,
  checkpoint: unknown,
  rootAtSize: string | null,
  trust: Trust,
): Promise<Check> {
  const details = { root: walk.root, size: walk.count }
  const open = (why: string, covered?: number): Check =>
    check('inclusion', 'UNAVAILABLE', `the root is recomputed, but ${why}`, {
      ...details,
      ...(covered !== undefined && { covered }),
    })
  const refused = (why: string): Check => check('inclusion', 'MISMATCH', why, details)
  const read = await readCheckpoint(checkpoint, trust)
  if (!read) return open('no checkpoint came with it')
  if (read.reason === 'no_known_signature') return open('no checkpoint signed by a known log key came with it')
  if (read.reason === 'malformed_key' || read.reason === 'ambiguous_key') return open('the given log keys are unusable')
  if (!read.checkpoint) return refused(`the checkpoint is refused: ${read.reason.replaceAll('_', ' ')}`)
  const { size, root, origin } = read.checkpoint
  if (origin !== header?.origin) return refused('the checkpoint is of another log than the header names')
  if (size > walk.count)
    return refused(`the export has ${walk.count} of the ${size} receipts that the log signed, fewer than all`)
  if (size > 0 && rootAtSize !== hexEncode(root))
    return refused(`the first ${size} receipts do not have the root that the log signed`)
  if (size < walk.count) return open(`the signed checkpoint only covers the first ${size} receipts`, size)
  const reason = 'the root over all receipts is the one that a trusted log key signed'
  return check('inclusion', 'VERIFIED', reason, { ...details, covered: size })
}

/** Each key is judged at both ends of the time it was used in, by every word that the signed bytes have for it; the worst
 *  counts. */
function checkKeys(found: LedgerFindings, trust: Trust): Check {
  const signature = checkSignatures(found)
  if (signature.status !== 'VERIFIED') return checkKeyTrust(signature, trust, [])
  const judged = found.keys.flatMap(({ pinned, earliest, latest, signedKinds }) => {
    const named = { ...signature, details: { keyid: pinned.key.keyid } }
    const called = found.header?.keys.filter(({ keyid }) => keyid === pinned.key.keyid).map(({ kind }) => kind) ?? []
    return [...signedKinds].flatMap((kind) =>
      [earliest, latest].map((time) => checkKeyTrust(named, trust, [...called, kind], time)),
    )
  })
  const status = worstOf(judged.map((one) => one.status)) ?? 'UNAVAILABLE'
  const telling = judged.find((one) => one.status === status)
  const keys = found.keys.map(({ pinned, count }) => ({
    keyid: pinned.key.keyid,
    kind: judged.find(({ details, status }) => details.keyid === pinned.key.keyid && status === 'DEMO')
      ? 'demo'
      : pinned.kind,
    receipts: count,
  }))
  return check('key_trust', status, telling?.reason ?? 'no key signed anything', { keys })
}

/** Said where a receipt carries the inputs of lambda; the worst word counts, and the first line that says it. */
function checkLambdas({ lambda: { checked, worst }, fault }: LedgerFindings): Check[] {
  if (!worst) return []
  const { line, found } = worst
  const details = { receipts: checked, line, of_first: found.details }
  if (found.status !== 'VERIFIED') return [check('lambda', found.status, `line ${line}: ${found.reason}`, details)]
  if (fault) return [check('lambda', 'UNAVAILABLE', `not judged: the file is at fault on line ${fault.line}`, details)]
  return [check('lambda', 'VERIFIED', 'every lambda was computed again from the inputs in its receipt', details)]
}
