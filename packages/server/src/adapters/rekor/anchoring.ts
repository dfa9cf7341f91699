/** Anchoring of our log's checkpoints in a Rekor v1 log. `anchor` submits, `read` only reads; both believe nothing but a
 *  proof that was checked here, in this call. */
import {
  type Envelope,
  hexEncode,
  importPublicKey,
  type PublicKey,
  parseCheckpoint,
  parseEnvelope,
  parseNote,
  utf8Decode,
  verifyConsistency,
} from '@orch/core'
import { bundleToJSON } from '@sigstore/bundle'
import type { Anchoring, AnchorReading, Ledger } from '../../ports.ts'
import type { JsonExchange } from '../outbound/contract.ts'
import { bundleOf, proofFault } from './proof.ts'
import { type AnchorRecord, invalid, nothing, unreachable } from './readings.ts'
import { proposedEntry, readEntry, recordFault } from './reply.ts'

const DEADLINE_MS = 10_000
const READ_DEADLINE_MS = 5_000
const MAX_BYTES = 262_144

export interface AnchorMemory {
  load(): AnchorRecord | null
  save(record: AnchorRecord): void
}

interface RekorSettings {
  url: string
  publicKeyPem: string
}

type AnchorLedger = Pick<Ledger, 'signCheckpoint' | 'rootAt' | 'consistency' | 'state'>

export function rekorAnchoring(
  { url, publicKeyPem }: RekorSettings,
  ledger: AnchorLedger,
  exchange: JsonExchange,
  memory: AnchorMemory,
): Anchoring {
  const logKey = requireLogKey(publicKeyPem)
  return {
    configured: true,
    async anchor(signal) {
      const signed = await ledger.signCheckpoint()
      if (signed === null) return nothing('there is nothing to anchor: no checkpoint, or no key to sign it with')
      const { envelope, publicKeyPem: pem } = signed
      const body = JSON.stringify(proposedEntry(envelope, pem))
      const request = { url: `${url}/api/v1/log/entries`, body, status: 201, ...limits(DEADLINE_MS) }
      const answer = await exchange(request, signal)
      if (!answer.ok) return unreachable(answer.code)
      const judged = judge(answer.value, envelope, pem, logKey)
      if (judged.status === 'INCLUDED')
        memory.save({ log_index: judged.log_index!, entry_uuid: judged.entry_uuid!, envelope, publicKeyPem: pem })
      return judged
    },
    async read(signal) {
      const record = memory.load()
      if (record === null) return nothing('no checkpoint of this ledger was anchored yet')
      const request = { url: `${url}/api/v1/log/entries?logIndex=${record.log_index}`, status: 200 }
      const answer = await exchange({ ...request, ...limits(READ_DEADLINE_MS) }, signal)
      if (!answer.ok) return unreachable(answer.code)
      const judged = judge(answer.value, record.envelope, record.publicKeyPem, logKey)
      if (judged.status !== 'INCLUDED') return judged
      return (await isExtended(judged, ledger))
        ? judged
        : invalid('this ledger is no continuation of what was anchored')
    },
  }
}

const limits = (deadlineMs: number) => ({ deadlineMs, maxBytes: MAX_BYTES })

function requireLogKey(pem: string): PublicKey {
  const key = importPublicKey(pem)
  if (key === null) throw new Error('ORCH_REKOR_PUBLIC_KEY must be a P-256 key in PEM')
  return key
}

/** The reply against the envelope and the pinned key, and against nothing it says of itself. */
function judge(reply: unknown, envelope: Envelope, pem: string, logKey: PublicKey): AnchorReading {
  const entry = readEntry(reply)
  if (entry === null) return invalid('the reply is not one log entry with its proof')
  const key = importPublicKey(pem)
  const checkpoint = checkpointOf(envelope)
  const bundle = key && bundleOf(envelope, key, entry)
  if (!key || !checkpoint || !bundle) return invalid('what is kept of the anchor cannot be read')
  const fault = recordFault(entry.body, key) ?? proofFault(entry, bundle, key, logKey)
  if (fault !== null) return invalid(fault)
  return {
    status: 'INCLUDED',
    attempted: true,
    reachable: true,
    log_index: entry.logIndex,
    entry_uuid: entry.uuid,
    inclusion_proof: entry.proof,
    bundle: bundleToJSON(bundle) as object,
    checkpoint,
    note: `the log holds checkpoint ${checkpoint.size} of this ledger; the proof was verified for this request under the pinned key`,
  }
}

function checkpointOf(envelope: Envelope): AnchorReading['checkpoint'] {
  const parsed = parseEnvelope(envelope)
  const note = parsed.ok ? parseNote(utf8Decode(parsed.payload) ?? '') : null
  const head = note && parseCheckpoint(note.text)
  return head ? { size: head.size, root: hexEncode(head.root) } : null
}

/** The ledger as it is now must still begin with the history that was anchored. */
async function isExtended({ checkpoint }: AnchorReading, ledger: AnchorLedger): Promise<boolean> {
  const { size } = ledger.state()
  if (checkpoint === null || checkpoint.size > size || checkpoint.size === 0) return false
  const [fromRoot, toRoot] = [await ledger.rootAt(checkpoint.size), await ledger.rootAt(size)]
  if (hexEncode(fromRoot) !== checkpoint.root) return false
  const hashes = await ledger.consistency(checkpoint.size, size)
  return verifyConsistency({ from: checkpoint.size, to: size, fromRoot, toRoot, hashes })
}
