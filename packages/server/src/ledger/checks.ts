/** What readiness asks of the ledger: each check does something now and reports what came of it. */
import { frontierRoot, hexEncode, replays } from '@orch/core'
import { TreeDamaged } from '../errors.ts'
import type { Check, Clock, Finding, Ledger, SignerStatus } from '../ports.ts'
import type { LedgerState } from './contract.ts'
import { MAX_WAITING } from './ledger.ts'
import type { StoreReplaced } from './store/own-files.ts'

const SELF_TEST_MAX_AGE_MS = 90_000
/** A signer that is gone shows when somebody asks, not when the next test is due; asked no more often than this. */
const RETEST_AFTER_MS = 4_000
const RETEST_WAIT_MS = 300

interface Settings {
  requireDurable: boolean
  allowUnsigned: boolean
  signer: 'demo' | 'none' | 'external'
}

interface LedgerHealth {
  checks: Check[]
  signerStatus(): SignerStatus
  /** Durable, verified by the newest check, and signed by a production key that answers. */
  isProductionReady(): boolean
}

export function ledgerHealth(ledger: Ledger, clock: Clock, settings: Settings): LedgerHealth {
  /** What the newest check found: walked to its head and whole. Before the first check, nothing was. */
  let isVerified = false
  const checks: Check[] = [
    { name: 'store', blocking: () => true, run: () => storeState(ledger) },
    {
      name: 'ledger',
      blocking: () => true,
      async run() {
        const finding = await ledgerState(ledger, settings.requireDurable)
        isVerified = finding.detail.integrity === 'VERIFIED'
        return finding
      },
    },
    { name: 'guard', blocking: () => true, run: async () => guardState(ledger.state()) },
    {
      name: 'signer',
      blocking: () => settings.signer !== 'none' && !settings.allowUnsigned,
      run: () => signerState(ledger, clock, settings.signer),
    },
  ]
  return {
    checks,
    signerStatus: () => signerStatus(ledger, clock),
    isProductionReady: () =>
      ledger.state().durability !== 'EPHEMERAL' &&
      ledger.state().readOnly === null &&
      ledger.tail.broken === null &&
      isVerified &&
      signerStatus(ledger, clock).status === 'LIVE',
  }
}

async function signerState(ledger: Ledger, clock: Clock, signer: Settings['signer']): Promise<Finding> {
  await retest(ledger, clock)
  const status = signerStatus(ledger, clock)
  const { kind, test } = ledger.signer
  const detail = {
    status: status.status,
    key_kind: kind,
    tested_at: test.testedAt,
    ...(test.reason === null ? {} : { reason: test.reason }),
  }
  if (signer === 'none') return { state: 'OK', detail }
  if (isStale(test.testedAt, clock)) return { state: 'UNKNOWN', detail }
  return { state: status.signingAvailable ? 'OK' : 'FAILED', detail }
}

const IN_DATA_FOLDER = 'the guard lies in the data folder: a restore of the whole folder is not noticed; set ORCH_GUARD'

/** Whether the store continues the newest checkpoint kept outside it, and whether that place can be asked. */
function guardState({ rolledBack, size, readOnly, guard }: LedgerState): Finding {
  const detail = { size, kind: guard.kind, ...(guard.kind === 'data-folder' ? { limit: IN_DATA_FOLDER } : {}) }
  if (rolledBack) return { state: 'FAILED', detail: { ...detail, code: 'ROLLED_BACK', reason: readOnly } }
  if (guard.fault === null) return { state: 'OK', detail }
  const reason = `${guard.fault}; ${guard.blocking ? 'nothing is recorded until it does' : 'checkpoints wait for it'}`
  const found = { state: 'FAILED' as const, detail: { ...detail, code: 'GUARD_UNAVAILABLE', reason } }
  return guard.blocking ? found : { ...found, blocking: false }
}

const NO_PROBE = { code: 'PROBE_FAILED', reason: 'a row could not be written, read back and rolled back' }

/** What the store itself says went wrong stays inside: it may name files or hosts. That its files were taken away is our
 *  own finding, and the operator reads here what to do. */
function probeFault(error: unknown): { code: string; reason: string } {
  const { code, message } = ((error as Error).cause ?? {}) as Partial<StoreReplaced>
  return code === 'STORE_REPLACED' ? { code, reason: String(message) } : NO_PROBE
}

async function storeState(ledger: Ledger): ReturnType<Check['run']> {
  const failure = await ledger.probe().then(() => null, probeFault)
  return {
    state: failure === null ? 'OK' : 'FAILED',
    detail: { wrote_read_rolled_back: failure === null, ...failure },
  }
}

/** The newest receipt recomputed from its bytes, the head equal to what was acknowledged, and what the newest walks have
 *  found; readiness makes none. `VERIFIED` is said of a ledger that was walked whole, as far as it reached an hour ago at
 *  least, and has no known break; what stands beside it says when, and up to where. One without receipts has nothing to walk. A break that shows here is told to the
 *  ledger like any other. */
async function ledgerState(ledger: Ledger, requireDurable: boolean) {
  const { readOnly, durability, size, root } = ledger.state()
  const stored = await ledger.reader.head()
  const last = stored.size === 0 ? null : await ledger.reader.byIndex(stored.size - 1)
  const linked = stored.size === 0 || (last !== null && replays(last.body, last.digest))
  const sameRoot = stored.size !== size || rootOf(stored) === root
  const { verified_to: verifiedTo, full_walk_at: walkedAt, broken, walk, is_behind } = await ledger.newestWalk()
  const brokenAt = broken?.node_index ?? ledger.tail.broken?.nodeIndex ?? (linked ? null : stored.size - 1)
  const tree = await treeFault(ledger, stored)
  const fullWalkAt = [walkedAt, walk.full_walk_ended_at].reduce((a, b) => (a === null || (b ?? '') > a ? b : a))
  const intact = linked && sameRoot && tree === null && broken === null && ledger.tail.broken === null
  const isWalked = stored.size === 0 || (fullWalkAt !== null && !is_behind)
  const detail = {
    mode: durability,
    durable: durability !== 'EPHEMERAL',
    depth: stored.size,
    integrity: intact ? (isWalked ? 'VERIFIED' : 'VERIFYING') : 'BROKEN',
    verified_to: Math.min(verifiedTo, brokenAt ?? verifiedTo),
    walk: { ...walk, walked_now: 0, signatures_checked_now: 0, full_walk_ended_at: fullWalkAt },
    broken_at: brokenAt,
    waiting: ledger.waiting(),
    ...(ledger.snapshotFault === null ? {} : { snapshot_fault: ledger.snapshotFault }),
    ...(ledger.snapshotsMissing === 0 ? {} : { snapshots_missing: ledger.snapshotsMissing }),
  }
  if (!linked || !sameRoot || tree !== null)
    ledger.reportBreak(tree ?? INCONSISTENT, linked ? undefined : (last ?? undefined))
  const faults = [
    readOnly ?? tree,
    !intact && INCONSISTENT,
    stored.size < size && 'the stored head is behind the one that was acknowledged',
    detail.waiting >= MAX_WAITING && 'too many receipts are waiting',
    requireDurable && !detail.durable && 'ORCH_REQUIRE_DURABLE is set and the ledger is in memory',
  ]
  const reason = faults.find((fault) => typeof fault === 'string')
  const state = reason === undefined ? ('OK' as const) : ('FAILED' as const)
  return { state, detail: reason === undefined ? detail : { ...detail, reason } }
}

/** Whether the stored tree still leads to the head and no note in the store claims a larger one: both are cheap to look
 *  at now, and what was walked before is not walked again for every question. */
async function treeFault(ledger: Ledger, head: { size: number; frontier: Uint8Array[] }): Promise<string | null> {
  const checkpoint = await ledger.reader.checkpoint()
  const { size } = await ledger.reader.head()
  if (checkpoint !== null && checkpoint.size > size)
    return `the store holds a checkpoint over ${checkpoint.size} receipts and only ${size} of them`
  try {
    const root = await ledger.rootAt(head.size)
    return hexEncode(root) === rootOf(head) ? null : 'the stored tree does not lead to the root of the head'
  } catch (error) {
    if (error instanceof TreeDamaged) return `the stored tree is damaged (${error.message})`
    throw error
  }
}

const rootOf = ({ size, frontier }: { size: number; frontier: Uint8Array[] }): string =>
  hexEncode(frontierRoot({ size, hashes: frontier }))

const INCONSISTENT = 'the stored receipts do not bear out their digests, their links or the root of the head'

/** A test that is slow goes on and is seen by the next check; this one then goes by the newest that has ended. */
async function retest(ledger: Ledger, clock: Clock): Promise<void> {
  const { kind, test } = ledger.signer
  if (kind === null || clock.now() - Date.parse(test.testedAt) < RETEST_AFTER_MS) return
  const tested = ledger.testSigner().catch(() => undefined)
  await Promise.race([tested, new Promise((resolve) => setTimeout(resolve, RETEST_WAIT_MS).unref())])
}

const isStale = (testedAt: string, clock: Clock): boolean => clock.now() - Date.parse(testedAt) > SELF_TEST_MAX_AGE_MS

/** What the newest self-test showed; a test too old to count shows nothing. */
function signerStatus(ledger: Ledger, clock: Clock): SignerStatus {
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
