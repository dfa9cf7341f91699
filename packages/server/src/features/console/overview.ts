/** What the operator sees first: every part read for this request, or unavailable with the reason. Nothing is changed,
 *  appended or signed by looking. */

import { frontierRoot, hexEncode } from '@orch/core'
import { findPaths, type Link, pageLinks } from '../../domain/page/links.ts'
import type { NewestDecisions } from '../../domain/receipts/newest-decisions.ts'
import { REVIEWS_COUNTED_TO } from '../../domain/reviews/review.ts'
import { isoNow } from '../../platform/clock.ts'
import type { CatalogEntry, CheckResult, Ledger, Ports, Readiness, SignerStatus } from '../../ports.ts'
import { accessOf, type Caller, guarded, readPart } from './part.ts'
import { MAX_REVIEWS, type OverviewReply } from './schemas.ts'

export type OverviewPorts = Pick<
  Ports,
  'clock' | 'readiness' | 'ledger' | 'signer' | 'reviews' | 'gates' | 'policies' | 'governance'
>
export type Overview = Awaited<ReturnType<typeof readOverview>>

export async function readOverview(ports: OverviewPorts, caller: Caller, places: Places, signal: AbortSignal) {
  const from = { clock: ports.clock, signal }
  const { readiness, ledger, signer } = ports
  const [service, stored, decisions, waiting, gates] = await Promise.all([
    readPart({ ...from, source: 'checks run for this request', read: () => readService(readiness) }),
    readPart({ ...from, source: 'the store of the ledger', read: () => readLedger(ledger) }),
    guarded(caller, 'receipts:read', {
      ...from,
      source: 'receipts of the ledger',
      read: async () => withReceiptUrls(await ledger.queries.newestDecisions(caller), places),
    }),
    guarded(caller, 'review:read', {
      ...from,
      source: 'the review queue',
      read: () => readReviews(ports, caller, places.review),
    }),
    guarded(caller, null, { ...from, source: 'counters of this process', read: async () => gateCounts(ports, caller) }),
  ])
  return {
    schema: 'orch.console/v1' as const,
    access: accessOf(caller),
    service,
    ledger: stored,
    // The checks above test a signer whose last test is not fresh, so this is asked after them.
    signer: await readPart({
      ...from,
      source: 'newest self-test of the signer',
      read: async () => signerState(signer()),
    }),
    decisions,
    reviews: waiting,
    gates,
    links: places.links.map(({ title, path, summary }) => ({ title, path, summary })),
    generated_at: isoNow(ports.clock),
  } satisfies OverviewReply
}

export type DecisionsShown = ReturnType<typeof withReceiptUrls>
export type DecisionRow = DecisionsShown['items'][number]

const withReceiptUrls = ({ items, ...rest }: NewestDecisions, { receipt }: Pick<Places, 'receipt'>) => ({
  items: items.map(({ verify_url, ...item }) => ({ ...item, receipt_url: receipt(item.digest), verify_url })),
  ...rest,
})

/** Size and root of the ledger are public: they stand in every checkpoint. */
export type LedgerState = Awaited<ReturnType<typeof readLedger>>

async function readLedger(ledger: Pick<Ledger, 'reader' | 'state'>) {
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

const signerState = ({ status, signingAvailable, keyKind, fingerprint, testedAt }: SignerStatus) => ({
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

export type GateCounts = ReturnType<typeof gateCounts>

/** What the gates did in this process since it started, for the reader's namespace: what was recorded alone. */
function gateCounts({ gates, policies, governance }: OverviewPorts, { namespace }: Caller) {
  const { since, gates: tallies, ...counts } = governance.tallies(namespace)
  const [rules, policy] = [gates.status(), policies.status()]
  return {
    namespace,
    since,
    in_charge: rules.ready && policy.ready,
    reason: rules.reason ?? policy.reason,
    decisions: { ...counts.decisions },
    verdicts: { ...counts.verdicts },
    output_scans: { ...counts.outputScans },
    gates: tallies.map(({ name, evaluated, fired, timed_out, errors }) => ({
      ...{ name, evaluated, fired, timed_out, errors },
    })),
  }
}

export type ServiceState = Awaited<ReturnType<typeof readService>>

async function readService(readiness: Readiness) {
  const { ready, draining, productionReady, components, blocking, checkedAt } = await readiness.report()
  return {
    ready,
    draining,
    production_ready: productionReady,
    blocking,
    checks: Object.entries(components).map(([name, check]) => ({
      name,
      outcome: check.state,
      blocking: check.blocking,
      reason: check.state === 'OK' ? null : whyOf(check),
    })),
    checked_at: checkedAt,
  }
}

function whyOf({ state, detail }: CheckResult): string {
  if (typeof detail.reason === 'string') return detail.reason
  return typeof detail.code === 'string' ? detail.code : state
}

export type WaitingReviews = Awaited<ReturnType<typeof readReviews>>
export type ReviewRow = WaitingReviews['items'][number]

/** How much waits for a person, since when, and the newest of it. The payload of a review is not shown here. */
async function readReviews({ reviews: queue }: OverviewPorts, caller: Caller, reviewUrl: Places['review']) {
  const query = { state: 'pending', operation: null, limit: MAX_REVIEWS, after: null } as const
  const [{ items }, { counts, oldestPendingSeconds }] = await Promise.all([
    queue.list(caller, query),
    queue.counts(caller),
  ])
  return {
    namespace: caller.namespace,
    waiting: counts.pending ?? null,
    counted_to: REVIEWS_COUNTED_TO,
    oldest_seconds: oldestPendingSeconds,
    four_eyes: queue.fourEyes,
    items: items.map(({ review_id, operation, reasons, requested_by, created_at, expires_at }) => ({
      review_id,
      operation,
      reasons,
      requested_by: requested_by.owner,
      created_at,
      expires_at,
      review_url: reviewUrl(review_id),
    })),
    order: 'newest first' as const,
  }
}

/** Where the facts of the overview lead on. The paths come from the catalog, so that none of them leads nowhere. */
export interface Places {
  links: readonly Link[]
  receipt(digest: string): string | null
  review(reviewId: string): string | null
  /** Where a decision is asked for, by POST. */
  govern: string | null
}

export function findPlaces(catalog: readonly CatalogEntry[]): Places {
  const pathOf = (id: string): string | null => findPaths(catalog, [id])[0] ?? null
  const [receipt, review] = [pathOf('receipts.get'), pathOf('reviews.read')]
  return {
    links: pageLinks(catalog),
    receipt: (digest) => filled(receipt, digest),
    review: (reviewId) => filled(review, reviewId),
    govern: pathOf('governance.govern'),
  }
}

const filled = (path: string | null, value: string): string | null =>
  path?.replace(/\{[^}]+\}/, () => encodeURIComponent(value)) ?? null
