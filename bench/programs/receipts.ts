// What the ledger programs append: of the size of a governed decision.
import type { ReceiptDraft } from '@orch/core'
import type { LedgerSettings } from '../../packages/server/src/ledger/protocol.ts'

export const draftOf = (n: number): ReceiptDraft => ({
  ns: 'public',
  chain: `chain-${n % 8}`,
  kind: 'decision',
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: `request-${n}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload: {
    decision: 'ALLOW',
    lambda: 0.95,
    lambda_floor: 0.9,
    gates_fired: [],
    gates_passed: ['threat-signature-scan', 'pii-egress-guard'],
    breaches: [],
    geofence_inside: null,
    input_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    input_length: 128,
  },
})

export const settingsOf = (data: string, signer: LedgerSettings['signer'] = 'demo'): LedgerSettings => ({
  data,
  store: 'sqlite',
  postgresUrl: null,
  signer,
  signerUrl: null,
  signerPublicKey: null,
  allowUnsigned: false,
  logOrigin: 'bench',
  defaultOrigin: 'bench',
})
