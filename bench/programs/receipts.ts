// What the ledger programs append: receipts of governed decisions, with the payload that one of them got.
import type { ReceiptDraft } from '@orch/core'
import type { LedgerSettings } from '../../packages/server/src/ledger/protocol.ts'
import DECISION from './decision-payload.json' with { type: 'json' }

export const draftOf = (n: number): ReceiptDraft => ({
  ns: 'public',
  chain: `chain-${n % 8}`,
  kind: 'decision',
  ts_utc: '2026-01-01T00:00:00.000Z',
  request_id: `request-${n}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: { policy_digest: '3f'.repeat(32), rules_digest: '23'.repeat(32) },
  payload: { ...DECISION, input_length: n },
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
