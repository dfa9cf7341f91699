/** The export of one receipt: everything needed to check it without us, in one record. */
import {
  base64Encode,
  fetchKeyCommand,
  frontierRoot,
  GENESIS_PREV,
  hexEncode,
  NO_KEY_TO_FETCH,
  offlineCommands,
  type VerificationReport,
} from '@orch/core'
import { type Evidence, type LogProof, logProof } from '../../domain/evidence.ts'
import { isVerified, type WalkedReport } from '../../domain/organs.ts'
import { receiptEnvelope, receiptPae, type ShownReceipt } from '../../domain/receipt-view.ts'
import type { StoredReceipt } from '../../domain/stored-receipt.ts'
import { verifyStored } from '../../domain/verification.ts'
import type { DsseEnvelope } from '../../domain/wire.ts'
import type { Export } from './replies.ts'

interface ExportSetting {
  durability: 'EPHEMERAL' | 'DURABLE' | 'DURABLE_EXTERNAL'
  readOnly: string | null
  productionSigner: boolean
  /** What was verified when the ledger was opened. */
  startUp: { verifiedFrom: number; verifiedTo: number; broken: unknown }
  /** Where this service is reached; null when nobody but the caller says so. */
  origin: string | null
  /** Public key of this receipt, from there. */
  keyPath: string
  now: string
}

export async function buildExport(
  evidence: Evidence,
  row: StoredReceipt | null,
  setting: ExportSetting,
): Promise<Export> {
  const audit = await evidence.walk()
  const report = row && (await verifyStored(evidence, row, setting.now))
  const proof = row && (await logProof(evidence, row))
  const { size, frontier } = await evidence.reader.head()
  const root = hexEncode(frontierRoot({ size, hashes: frontier }))
  const publicKeyUrl = `${setting.origin ?? ''}${setting.keyPath}`
  return {
    schema: 'orch.receipt-export/v1',
    ok: audit.broken === null && report?.verdict !== 'FAIL',
    doctrine: 'v11',
    generated_at: setting.now,
    public_key_url: publicKeyUrl,
    ledger: ledgerRecord(audit, root, setting),
    ledger_durability: setting.durability,
    receipt_available: row !== null,
    ledger_size: size,
    khipu_root: root,
    ...receiptPart(row, proof, report),
    verify_offline: offlineSteps(row, publicKeyUrl),
    limits: listLimits(row, audit, setting),
  }
}

function receiptPart(row: StoredReceipt | null, proof: LogProof | null, report: VerificationReport | null) {
  const dsse = row === null ? NO_ENVELOPE : receiptEnvelope(row)
  const signature = report?.checks.find(({ check }) => check === 'signature')
  const pae = row === null ? null : receiptPae(row)
  return {
    export_state: exportState(row, signature?.status),
    node_index: row?.nodeIndex ?? -1,
    node_digest: row?.digest ?? GENESIS_PREV,
    dsse,
    payload_b64: dsse.payload,
    pae_b64: pae === null ? '' : base64Encode(pae),
    signed: row !== null && row.signature !== null,
    keyid: row?.keyid ?? '',
    verification: {
      state: signature?.status ?? 'UNAVAILABLE',
      verified: signature?.status === 'VERIFIED',
      reason: signature?.reason ?? 'there is no receipt to verify',
      pae_sha256: row === null ? null : dsse._pae_sha256,
    },
    inclusion: proof?.inclusion ?? null,
    checkpoint: proof?.checkpoint ?? null,
    honesty: dsse.honesty,
  }
}

const NO_ENVELOPE: DsseEnvelope = {
  payloadType: 'application/vnd.orch.receipt+json',
  payload: '',
  signatures: [],
  signed: false,
  keyid: '',
  honesty: 'the ledger is empty: there is nothing to sign and nothing is signed',
  _dsse: 'DSSEv1',
  _pae_sha256: null,
}

/** SIGNED_VERIFIED says that the signature was verified for this very request. */
function exportState(row: StoredReceipt | null, signature: string | undefined): Export['export_state'] {
  if (row === null) return 'EMPTY'
  if (row.signature === null) return 'UNSIGNED'
  return signature === 'VERIFIED' ? 'SIGNED_VERIFIED' : 'SIGNATURE_INVALID'
}

function ledgerRecord(audit: WalkedReport, root: string, setting: ExportSetting) {
  const { durability, readOnly, startUp } = setting
  const external = durability === 'DURABLE_EXTERNAL'
  const ready = readOnly === null && audit.broken === null
  return {
    schema: 'orch.ledger-state/v1',
    durability_state: durability,
    requested_mode: durability,
    ready,
    production_ready: ready && isVerified(audit) && durability !== 'EPHEMERAL' && setting.productionSigner,
    startup_state: startUp.broken === null ? 'READY' : 'BROKEN',
    adapter_configured: external,
    // The head and the receipt were just read through it.
    adapter_state: external ? 'CONNECTED' : 'NOT_APPLICABLE',
    integrity: {
      state: audit.broken !== null ? 'BROKEN' : isVerified(audit) ? 'VERIFIED' : 'VERIFYING',
      verified: isVerified(audit),
      nodes: audit.verified_to,
      root,
      walk: audit.walk,
    },
    replay:
      durability === 'EPHEMERAL'
        ? { state: 'NOT_APPLICABLE', nodes: 0 }
        : {
            state: startUp.broken === null ? 'VERIFIED' : 'BROKEN',
            nodes: startUp.verifiedTo - startUp.verifiedFrom,
          },
    recovery: { attempts: 0, retry_after_s: null },
    reason: readOnly ?? audit.broken?.sentence ?? null,
  }
}

const limit = (code: string, detail: string) => ({ code, detail })

function listLimits(row: StoredReceipt | null, audit: WalkedReport, { durability, readOnly }: ExportSetting) {
  return [
    ...(durability === 'EPHEMERAL' ? [limit('EPHEMERAL_LEDGER', 'the in-memory ledger resets on restart')] : []),
    ...(row?.keyKind === 'demo' ? [limit('DEMO_KEY', 'a demo signature never counts as production')] : []),
    ...(row !== null && row.signature === null ? [limit('UNSIGNED_RECEIPT', 'the receipt carries no signature')] : []),
    ...(readOnly === null ? [] : [limit('READ_ONLY_LEDGER', readOnly)]),
    ...(audit.broken === null ? [] : [limit('BROKEN_LEDGER', audit.broken.sentence)]),
  ]
}

/** The three commands of an export. They carry the bytes themselves and need a shell, curl and openssl: nothing they
 *  check is asked of this service but its public key, which a careful reader has from elsewhere already. */
export function offlineSteps(receipt: ShownReceipt | null, publicKeyUrl: string): [string, string, string] {
  if (receipt === null)
    return [
      '# the ledger is empty: there is no key to fetch yet',
      '# the ledger is empty: there is no payload to decode',
      '# the ledger is empty: there is no signature to verify',
    ]
  const { body, signature, digest } = receipt
  const first = signature === null ? NO_KEY_TO_FETCH : fetchKeyCommand(publicKeyUrl)
  return [first ?? '# fetch the public key of this service as cosign.pub', ...offlineCommands(body, signature, digest)]
}
