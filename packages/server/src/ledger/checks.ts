/** What readiness asks of the ledger: each check does something now and reports what came of it. */
import { sha256Hex } from '@orch/core'
import type { Check, Clock, Ledger, SignerStatus } from '../ports.ts'
import { MAX_WAITING } from './ledger.ts'

export const SELF_TEST_MAX_AGE_MS = 90_000

interface Settings {
  requireDurable: boolean
  allowUnsigned: boolean
  signer: 'demo' | 'none' | 'external'
}

export const ledgerChecks = (ledger: Ledger, clock: Clock, settings: Settings): Check[] => [
  {
    name: 'store',
    blocking: () => true,
    async run() {
      await ledger.probe()
      return { state: 'OK', detail: { wrote_read_rolled_back: true } }
    },
  },
  { name: 'ledger', blocking: () => true, run: () => ledgerState(ledger, settings.requireDurable) },
  {
    name: 'guard',
    blocking: () => true,
    async run() {
      const { rolledBack, size, readOnly } = ledger.state()
      return {
        state: rolledBack ? 'FAILED' : 'OK',
        detail: { size, ...(rolledBack ? { code: 'ROLLED_BACK', reason: readOnly } : {}) },
      }
    },
  },
  {
    name: 'signer',
    blocking: () => settings.signer !== 'none' && !settings.allowUnsigned,
    async run() {
      const status = signerStatus(ledger, clock)
      const { kind, test } = ledger.signer
      const detail = {
        status: status.status,
        key_kind: kind,
        tested_at: test.testedAt,
        ...(test.reason === null ? {} : { reason: test.reason }),
      }
      if (settings.signer === 'none') return { state: 'OK', detail }
      if (isStale(test.testedAt, clock)) return { state: 'UNKNOWN', detail }
      return { state: status.signingAvailable ? 'OK' : 'FAILED', detail }
    },
  },
]

/** The last link recomputed from its bytes, and the head equal to what is stored. */
async function ledgerState(ledger: Ledger, requireDurable: boolean): ReturnType<Check['run']> {
  const { readOnly, durability, size } = ledger.state()
  const stored = await ledger.reader.head()
  const last = stored.size === 0 ? null : await ledger.reader.byIndex(stored.size - 1)
  const linked = stored.size === 0 || (last !== null && sha256Hex(last.body) === last.digest)
  const detail = {
    mode: durability,
    durable: durability !== 'EPHEMERAL',
    depth: stored.size,
    integrity: linked ? 'VERIFIED' : 'BROKEN',
    verified_to: ledger.tail.verifiedTo,
    broken_at: ledger.tail.broken?.nodeIndex ?? null,
    waiting: ledger.waiting(),
    ...(ledger.snapshotFault === null ? {} : { snapshot_fault: ledger.snapshotFault }),
  }
  const fault =
    readOnly ??
    faultOf({ linked, behind: stored.size < size, waiting: ledger.waiting(), durable: detail.durable, requireDurable })
  return { state: fault === null ? 'OK' : 'FAILED', detail: fault === null ? detail : { ...detail, reason: fault } }
}

function faultOf(seen: {
  linked: boolean
  behind: boolean
  waiting: number
  durable: boolean
  requireDurable: boolean
}): string | null {
  if (!seen.linked) return 'the newest receipt does not have the digest it is stored under'
  if (seen.behind) return 'the stored head is behind the one that was acknowledged'
  if (seen.waiting >= MAX_WAITING) return 'too many receipts are waiting'
  return seen.requireDurable && !seen.durable ? 'ORCH_REQUIRE_DURABLE is set and the ledger is in memory' : null
}

const isStale = (testedAt: string, clock: Clock): boolean => clock.now() - Date.parse(testedAt) > SELF_TEST_MAX_AGE_MS

/** What the newest self-test showed; a test too old to count shows nothing. */
export function signerStatus(ledger: Ledger, clock: Clock): SignerStatus {
  const { kind, keyid, test } = ledger.signer
  const signingAvailable = kind !== null && test.ok && !isStale(test.testedAt, clock)
  const working = kind === 'production' ? 'LIVE' : 'DEMO'
  return {
    status: kind === null ? 'UNSIGNED' : signingAvailable ? working : 'UNAVAILABLE',
    signingAvailable,
    keyKind: kind,
    fingerprint: keyid,
    testedAt: kind === null ? null : test.testedAt,
  }
}

/** Durable, verified and signed by a production key that answers. */
export const isProductionReady = (ledger: Ledger, clock: Clock): boolean =>
  ledger.state().durability !== 'EPHEMERAL' &&
  ledger.state().readOnly === null &&
  ledger.tail.broken === null &&
  signerStatus(ledger, clock).status === 'LIVE'
