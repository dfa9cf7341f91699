/** The ledger as its store has it now, and what signs it. Size and root are public: they stand in every checkpoint. */
import { frontierRoot, hexEncode } from '@orch/core'
import type { Ledger, SignerStatus } from '../../ports.ts'

export type LedgerState = Awaited<ReturnType<typeof readLedger>>

export async function readLedger(ledger: Pick<Ledger, 'reader' | 'state'>) {
  const { size, frontier } = await ledger.reader.head()
  const { durability, readOnly, rolledBack } = ledger.state()
  return {
    size,
    root: size === 0 ? null : hexEncode(frontierRoot({ size, hashes: frontier })),
    mode: durability,
    mode_meaning: MODES[durability],
    takes_receipts: readOnly === null,
    read_only_reason: readOnly,
    rolled_back: rolledBack,
  }
}

const MODES: Readonly<Record<ReturnType<Ledger['state']>['durability'], string>> = {
  EPHEMERAL: 'in memory alone: it is gone when the process ends',
  DURABLE: 'on this machine’s disk',
  DURABLE_EXTERNAL: 'in a database outside this process',
}

export type SignerState = ReturnType<typeof signerState>

export const signerState = ({ status, signingAvailable, keyKind, fingerprint, testedAt }: SignerStatus) => ({
  status,
  signing_available: signingAvailable,
  key_kind: keyKind,
  meaning: meaningOf(status, keyKind),
  fingerprint,
  tested_at: testedAt,
})

/** A demo key is called demo whether it works or not. */
function meaningOf(status: SignerStatus['status'], kind: SignerStatus['keyKind']): string {
  if (status === 'LIVE') return 'a production key held outside this service'
  if (status === 'DEMO') return 'a demo key: it shows the mechanism and never counts as production'
  if (status === 'UNSIGNED') return 'no key: receipts are chained and logged, and nothing signs them'
  return `a ${kind ?? 'missing'} key that did not sign when it was last tested`
}
