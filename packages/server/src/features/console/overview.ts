/** What the operator sees first: every part read for this request, or unavailable with the reason. Nothing is changed,
 *  appended or signed by looking. */
import type { NewestDecisions } from '../../domain/receipts/newest-decisions.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports } from '../../ports.ts'
import { accessOf, type Caller, guarded } from './admission.ts'
import { gateCounts } from './gate-counts.ts'
import { readLedger, signerState } from './ledger-state.ts'
import { readPart } from './part.ts'
import type { Places } from './places.ts'
import type { OverviewReply } from './schemas.ts'
import { readService } from './service-state.ts'
import { readReviews } from './waiting-reviews.ts'

export type OverviewPorts = Pick<
  Ports,
  'clock' | 'readiness' | 'ledger' | 'signer' | 'reviews' | 'gates' | 'policies' | 'governance'
>
export type Overview = Awaited<ReturnType<typeof readOverview>>

export async function readOverview(ports: OverviewPorts, caller: Caller, places: Places, signal: AbortSignal) {
  const from = { clock: ports.clock, signal }
  const { readiness, ledger, signer, reviews } = ports
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
      read: () => readReviews(reviews, caller, places.review),
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

/** The newest decisions with the way to each receipt. */
const withReceiptUrls = ({ items, ...rest }: NewestDecisions, { receipt }: Pick<Places, 'receipt'>) => ({
  items: items.map(({ verify_url, ...item }) => ({ ...item, receipt_url: receipt(item.digest), verify_url })),
  ...rest,
})
