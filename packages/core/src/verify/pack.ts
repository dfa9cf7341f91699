// The evidence pack: a digest over the pack, a signature over the digest, and the receipts inside, each judged as if it
// had come alone. The envelope around the pack is not covered by the digest, so every field of it is held to its rule.
import { mayGoUnsigned } from '../chain.ts'
import { sha3_256Hex, sha256Hex } from '../digest.ts'
import { parseEnvelope } from '../dsse.ts'
import { utf8Encode } from '../encoding.ts'
import { packFault, packLinkFault, readPackReceipts } from './pack-shape.ts'
import { verifyReceipt } from './receipt.ts'
import {
  type Check,
  type CheckName,
  check,
  makeReport,
  unreadable,
  type VerificationReport,
  worstOf,
} from './report.ts'
import { canonicalOrNull, type Fields, isRecord } from './shape.ts'
import { checkKeyTrust, checkSignature } from './signature.ts'
import type { Trust } from './trust.ts'

export const PACK_PAYLOAD_TYPE = 'application/vnd.orch.evidence-pack+json'

/** What is signed: the digest under a name of its own, so that it can be nothing but the digest of a pack. */
export const packStatement = (packSha3: string): string => `{"orch_evidence_pack_sha3_256":"${packSha3}"}`

/** SHA3-256 over the canonical pack; null for a value that has no canonical form. */
export function packDigest(pack: unknown): string | null {
  const text = canonicalOrNull(pack)
  return text === null ? null : sha3_256Hex(text)
}

export async function verifyPack(input: unknown, trust: Trust): Promise<VerificationReport> {
  if (!isRecord(input) || !isRecord(input.pack) || !isRecord(input.signature))
    return unreadable('pack', 'this is no evidence pack envelope', trust.checkedAt)
  const { pack, signature: signed } = input
  const digest = packDigest(pack)
  const signature = await checkPackSignature(signed, trust)
  const own = [
    checkStructure(input, signed),
    signature,
    checkPackDigest(digest, input.pack_sha3_256, signed),
    checkLinks(pack),
    check('inclusion', 'UNAVAILABLE', 'the pack holds no receipt whose inclusion could be checked'),
    checkKeyTrust(
      signature,
      trust,
      [signed.key_kind, demoInside(pack)],
      typeof pack.generated_at === 'string' ? pack.generated_at : undefined,
    ),
  ]
  const inner = await verifyReceiptsOf(pack, trust)
  const checks = [...own.map((one) => withReceipts(one, inner)), ...lambdaOfReceipts(inner)]
  return makeReport('pack', checks, subjectOf(digest, inner), trust.checkedAt)
}

/** The digest that is signed covers this word. It speaks of the service's key in general, so that it only takes trust away. */
const demoInside = ({ cosign_public_key: key }: Fields): 'demo' | null =>
  isRecord(key) && key.key_kind === 'demo' ? 'demo' : null

function checkStructure(envelope: Fields, signed: Fields): Check {
  const fault = packFault(envelope) ?? signedStatementFault(signed)
  if (fault) return check('structure', 'MISMATCH', fault)
  return check('structure', 'VERIFIED', 'envelope, pack and signature block are as the format has them')
}

/** The signed bytes must be the one spelling of the one statement. */
function signedStatementFault({ dsse, signed }: Fields): string | null {
  if (signed !== true) return null
  const parsed = parseEnvelope(dsse)
  if (!parsed.ok) return `the signature envelope is malformed: ${parsed.reason}`
  return isRecord(dsse) && Object.keys(dsse).length === 3 ? null : 'the signature envelope carries further fields'
}

async function checkPackSignature(signed: Fields, trust: Trust): Promise<Check> {
  if (signed.signed !== true) return check('signature', 'UNSIGNED', 'the pack says that it is not signed')
  const found = await checkSignature(signed.dsse, PACK_PAYLOAD_TYPE, trust)
  if (found.status !== 'VERIFIED' || signed.keyid === found.details.keyid) return found
  return check('signature', 'MISMATCH', 'the pack names another key than the one that signed', found.details)
}

function checkPackDigest(digest: string | null, claimed: unknown, signed: Fields): Check {
  if (digest === null) return check('payload_digest', 'MISMATCH', 'the pack has no canonical form')
  const details = { computed: digest, algorithm: 'sha3_256' }
  if (claimed !== digest)
    return check('payload_digest', 'MISMATCH', 'pack_sha3_256 is not the SHA3-256 of the pack', details)
  if (signed.signed === true && !statesDigest(signed.dsse, digest))
    return check('payload_digest', 'MISMATCH', 'the signed statement names another pack', details)
  return check('payload_digest', 'VERIFIED', 'the SHA3-256 of the pack is the one claimed', details)
}

function statesDigest(dsse: unknown, digest: string): boolean {
  const parsed = parseEnvelope(dsse)
  return parsed.ok && sha256Hex(parsed.payload) === sha256Hex(utf8Encode(packStatement(digest)))
}

function checkLinks(pack: Fields): Check {
  const fault = packLinkFault(readPackReceipts(pack))
  if (fault) return check('hash_chain', 'MISMATCH', fault)
  return check('hash_chain', 'UNAVAILABLE', 'a pack is a selection: walking a chain to genesis needs the whole ledger')
}

/** Receipts may share one checkpoint, which then stands in the pack. */
async function verifyReceiptsOf(pack: Fields, trust: Trust): Promise<VerificationReport[]> {
  const { chain: _, expectedDigest: __, ...shared } = trust
  const checkpoint = pack.checkpoint ?? null
  const reports: VerificationReport[] = []
  for (const record of readPackReceipts(pack)) {
    const whole = isRecord(record) && !Object.hasOwn(record, 'checkpoint') ? { ...record, checkpoint } : record
    const report = await verifyReceipt(whole, shared)
    // Among the receipts of a pack anything else is a contradiction, however harmless it is alone.
    reports.push(report.kind === 'unknown' ? unreadable('unknown', report.checks[0]!.reason, trust.checkedAt) : report)
  }
  return reports
}

/** The pack's own word and those of its receipts; the worst counts. A selection never vouches for a whole chain. */
function withReceipts(own: Check, inner: readonly VerificationReport[]): Check {
  if (inner.length === 0) return own
  // A simulated sample is unsigned by design: it says nothing about the signatures and keys of the others.
  const judged = OF_SIGNATURES.includes(own.check) ? inner.filter((report) => !isUnsignedSample(report)) : inner
  const theirs = judged.map((report) => report.checks.find((one) => one.check === own.check) as Check)
  const parts = OWN_WORD_COUNTS.includes(own.check) ? [own, ...theirs] : theirs
  const status = worstOf(parts.map((part) => part.status)) ?? own.status
  const telling = parts.find((part) => part.status === status) ?? own
  const at = theirs.findIndex((part) => part.status === status)
  const details = {
    ...own.details,
    receipts: inner.length,
    first: at < 0 ? null : (judged[at]?.subject?.digest ?? at),
    unsigned_samples: inner.filter(isUnsignedSample).length,
  }
  return check(own.check, status, telling.reason, { ...details, of_first: telling === own ? null : telling.details })
}

/** Said where a receipt inside carries the inputs of lambda; the worst word counts. */
function lambdaOfReceipts(inner: readonly VerificationReport[]): Check[] {
  const found = inner.flatMap(({ checks, subject }) =>
    checks.filter((one) => one.check === 'lambda').map((one) => ({ ...one, digest: subject?.digest ?? null })),
  )
  const status = worstOf(found.map((one) => one.status))
  const first = found.find((one) => one.status === status)
  if (!first) return []
  const details = { receipts: found.length, first: first.digest, of_first: first.details }
  return [check('lambda', first.status, first.reason, details)]
}

const OF_SIGNATURES: readonly CheckName[] = ['signature', 'key_trust']

const isUnsignedSample = ({ checks, subject }: VerificationReport): boolean =>
  checks.some((one) => one.check === 'signature' && one.status === 'UNSIGNED') &&
  mayGoUnsigned({ kind: String(subject?.kind), chain: String(subject?.chain) })

const OWN_WORD_COUNTS: readonly CheckName[] = ['structure', 'signature', 'payload_digest', 'hash_chain', 'key_trust']

const subjectOf = (digest: string | null, inner: readonly VerificationReport[]): VerificationReport['subject'] =>
  digest === null
    ? null
    : { digest, receipts: inner.map(({ verdict, subject }) => ({ digest: subject?.digest ?? null, verdict })) }
