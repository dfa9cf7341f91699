/** The overview as a page. Whatever it says stands in the facts; nothing is worked out here that they do not hold. */
import { framedPage } from '../../domain/page/frame.ts'
import { escaped } from '../../domain/page/markup.ts'
import type {
  DecisionRow,
  DecisionsShown,
  GateCounts,
  LedgerState,
  Overview,
  Places,
  ReviewRow,
  ServiceState,
  SignerState,
  WaitingReviews,
} from './overview.ts'
import type { Part } from './part.ts'
import { countOf, reviewsSentence, serviceSentence } from './wording.ts'

interface PageSetting {
  places: Places
  /** Null where the caller's host is none the operator answers for. */
  origin: string | null
  path: string
  commit: string | null
}

const INTRO =
  'How the service does, what it decided last and what waits for a person. Everything here was read while this page was made, or says why it was not. Nothing can be changed from here.'

export const consolePage = (found: Overview, setting: PageSetting): string =>
  framedPage({
    title: 'Console',
    intro: INTRO,
    links: setting.places.links,
    path: setting.path,
    scripts: [],
    commit: setting.commit,
    main: `<div class="inputs">
<p id="access">${escaped(found.access.note)}</p>
${card('service', 'Service', found.service, serviceCard)}
${card('reviews', 'Reviews waiting', found.reviews, reviewsCard)}
${card('decisions', 'Newest decisions', found.decisions, (value: DecisionsShown) => decisionsCard(value, setting))}
${card('gates', 'Gates', found.gates, gatesCard)}
${card('ledger', 'Ledger', found.ledger, ledgerCard)}
${card('signer', 'Signer', found.signer, signerCard)}
${onward(found, setting)}
</div>`,
  })

/** Folded while there is nothing to look into. */
function serviceCard(value: ServiceState): string {
  const inOrder = value.checks.every(({ outcome }) => outcome === 'OK')
  return `<p><strong>${escaped(serviceSentence(value))}</strong></p>
<details${inOrder ? '' : ' open'}><summary>${countOf(value.checks.length, 'check', 'checks')}</summary>
${table('Each check ran for this page, or for a request at the same moment', value.checks.map(checkRow))}
</details>`
}

const checkRow = ({ name, outcome, blocking, reason }: ServiceState['checks'][number]): [Cell, ...Cell[]] => [
  { column: 'Check', inner: escaped(name) },
  { column: 'Outcome', inner: outcome, more: ` class="state" data-healthy="${HEALTHY[outcome]}"` },
  { column: 'Without it', inner: blocking ? 'not ready' : 'still ready' },
  { column: 'Reason', inner: reason === null ? 'none' : foreign(reason), more: ' class="long"' },
]

const HEALTHY = { OK: 'true', FAILED: 'false', UNKNOWN: 'null' } as const

const ledgerCard = (value: LedgerState): string =>
  facts([
    ['Size', value.size === 0 ? 'no receipt yet' : countOf(value.size, 'receipt', 'receipts')],
    ['Head', value.root === null ? 'none before the first receipt' : `<code>${value.root}</code>`],
    ['Mode', `${value.mode}: ${escaped(value.mode_meaning)}`],
    [
      'Writing',
      value.takes_receipts ? 'takes receipts' : `<strong>read-only</strong>: ${foreign(value.read_only_reason)}`,
    ],
    ['History', value.rolled_back ? '<strong>behind or unlike its last known checkpoint</strong>' : 'not rolled back'],
  ])

const signerCard = (value: SignerState): string =>
  facts([
    ['Signs with', escaped(value.meaning)],
    ['State', value.signing_available ? `${value.status}, signs` : `${value.status}, does not sign`],
    ['Fingerprint', value.fingerprint === null ? 'none' : `<code>${escaped(value.fingerprint)}</code>`],
    ['Tested', value.tested_at === null ? 'nothing to test' : instant(value.tested_at)],
  ])

function reviewsCard(value: WaitingReviews): string {
  const sentence = `<p><strong>${escaped(reviewsSentence(value))}</strong></p>`
  if (value.items.length > 0)
    return `${sentence}\n${table('Those you may see, newest first', value.items.map(reviewRow))}`
  const none =
    value.waiting === 0 ? 'A decision that a person has to take will stand here.' : 'None of them is yours to see.'
  return `${sentence}\n<p>${none}</p>`
}

const reviewRow = (review: ReviewRow): [Cell, ...Cell[]] => [
  {
    column: 'Review',
    inner: `<span class="links-in">${link(review.review_url, shortId(review.review_id), review.review_id)}</span>`,
  },
  { column: 'Asked by', inner: foreign(review.requested_by), more: ' class="long"' },
  { column: 'About', inner: foreign(review.operation) },
  { column: 'Reasons', inner: review.reasons.map(foreign).join(', '), more: ' class="long"' },
  { column: 'Asked at', inner: instant(review.created_at), more: ' class="long"' },
  { column: 'Denied unless decided by', inner: instant(review.expires_at), more: ' class="long"' },
]

function decisionsCard(value: DecisionsShown, { places, origin }: PageSetting): string {
  const unreadable =
    value.unreadable === 0
      ? ''
      : `<p><strong>${countOf(value.unreadable, 'stored receipt cannot be read', 'stored receipts cannot be read')}.</strong></p>`
  if (value.items.length === 0) return `${unreadable}${noDecision(value, places.govern, origin)}`
  const caption = `As the receipts tell it, newest first, of the newest ${countOf(value.scanned, 'receipt', 'receipts')}; none is verified on this page`
  return `${unreadable}${table(caption, value.items.map(decisionRow))}`
}

function noDecision({ size, scanned }: DecisionsShown, govern: string | null, origin: string | null): string {
  const looked =
    size === 0
      ? 'Nothing is recorded yet.'
      : `None that you may see among the newest ${countOf(scanned, 'receipt', 'receipts')}.`
  const ask = `curl -s '${origin}${govern}' -H 'content-type: application/json' -d '{"text":"What is the capital of France?"}'`
  return `<p>${looked} Decisions will stand here as they are recorded.</p>${
    govern === null || origin === null ? '' : `\n<p>One is made by <code>${escaped(ask)}</code></p>`
  }`
}

const decisionRow = (row: DecisionRow): [Cell, ...Cell[]] => [
  { column: 'Decision', inner: row.decision },
  { column: 'Reasons', inner: reasonsOf(row), more: ' class="long"' },
  { column: 'Asked by', inner: foreign(row.owner), more: ' class="long"' },
  { column: 'About', inner: foreign(row.operation ?? row.kind), more: ' class="long"' },
  { column: 'At', inner: row.ts_utc === null ? foreign(null) : instant(row.ts_utc), more: ' class="long"' },
  { column: 'Signed', inner: row.signed },
  {
    column: 'Receipt',
    inner: `${link(row.receipt_url, shortDigest(row.digest), row.digest)}<br>${link(row.verify_url, 'check it')}`,
    more: ' class="links-in"',
  },
]

function reasonsOf({ reasons, reasons_total }: DecisionRow): string {
  if (reasons_total === 0) return 'none given'
  const more = reasons_total - reasons.length
  return `${reasons.map(foreign).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

const gatesCard = (value: GateCounts): string => `<p>${gatesSentence(value)}</p>
${table(
  `What the gates did in the namespace ${value.namespace} in this process since ${value.since}`,
  value.gates.map(({ name, evaluated, fired, timed_out, errors }) => [
    { column: 'Gate', inner: escaped(name) },
    { column: 'Evaluated', inner: String(evaluated), more: ' class="number"' },
    { column: 'Fired', inner: String(fired), more: ' class="number"' },
    { column: 'Timed out', inner: String(timed_out), more: ' class="number"' },
    { column: 'Errors', inner: String(errors), more: ' class="number"' },
  ]),
)}`

function gatesSentence({ in_charge, reason, decisions, verdicts, output_scans }: GateCounts): string {
  const sum = (verdict: keyof typeof decisions) => decisions[verdict] + verdicts[verdict]
  const scans = output_scans.allow + output_scans.review + output_scans.deny
  const counted = `${sum('allow')} allowed, ${sum('review')} held for review, ${sum('deny')} denied; ${scans} scans of output.`
  return in_charge ? counted : `<strong>Nothing is decided now:</strong> ${foreign(reason)}. Before that ${counted}`
}

const onward = ({ generated_at, access }: Overview, { places, origin, path }: PageSetting): string =>
  `<section class="card" aria-labelledby="onward-heading"><h2 id="onward-heading">Where to go on</h2>
<ul class="links">
${places.links
  .filter((one) => one.path !== path)
  .map((one) => `<li>${link(one.path, one.title)}<span class="quiet">${escaped(one.summary)}</span></li>`)
  .join('\n')}
</ul>
<p class="quiet">Made at ${instant(generated_at)}.${origin === null ? '' : asJson(`${origin}${path}`, access.auth_mode)}</p>
</section>`

function asJson(address: string, mode: Overview['access']['auth_mode']): string {
  const credential = mode === 'open' ? '' : ' -H "authorization: Bearer $ORCH_TOKEN"'
  return ` The same as JSON: <code>${escaped(`curl -s '${address}' -H 'accept: application/json'${credential}`)}</code>`
}

/** Stored text may hold marks that reverse the direction of what follows. */
const foreign = (text: string | null): string =>
  text === null ? '<span class="quiet">not said</span>' : `<bdi>${escaped(text)}</bdi>`

const instant = (time: string): string => `<time datetime="${escaped(time)}">${escaped(time)}</time>`

const link = (path: string | null, text: string, title = ''): string =>
  path === null
    ? escaped(text)
    : `<a href="${escaped(path)}"${title === '' ? '' : ` title="${escaped(title)}"`}>${escaped(text)}</a>`

const shortDigest = (digest: string): string => `${digest.slice(0, 12)}…${digest.slice(-6)}`

/** Enough to tell one from another; the whole stands in the title. */
const shortId = (id: string): string => (id.length > 20 ? `${id.slice(0, 16)}…` : id)

/** A card of one part: what was read, or why nothing was. */
const card = <T>(id: string, title: string, part: Part<T>, shown: (value: T) => string): string =>
  `<section class="card" id="${id}" data-state="${part.state}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${escaped(title)}</h2>
${part.state === 'read' ? shown(part.value) : unread(part.state, part.reason)}
<p class="quiet">${provenance(part)}</p>
</section>`

const unread = (state: 'refused' | 'failed', reason: string): string =>
  `<p><strong>${state === 'refused' ? 'Not shown' : 'Not read'}:</strong> ${escaped(reason)}.</p>`

const provenance = <T>(part: Part<T>): string =>
  part.state === 'read' ? `${part.label}, ${escaped(part.source)}, read at ${instant(part.read_at)}` : part.label

interface Cell {
  column: string
  inner: string
  more?: string
}

/** The roles stay what they are where a narrow page lays rows out as cards. The first cell heads its row. */
function table(caption: string, rows: readonly (readonly [Cell, ...Cell[]])[]): string {
  const columns = (rows[0] ?? []).map(({ column }) => `<th role="columnheader" scope="col">${escaped(column)}</th>`)
  return `<table role="table">
<caption>${escaped(caption)}</caption>
<thead role="rowgroup"><tr role="row">${columns.join('')}</tr></thead>
<tbody role="rowgroup">
${rows.map(row).join('\n')}
</tbody></table>`
}

const row = ([first, ...rest]: readonly [Cell, ...Cell[]]): string =>
  `<tr role="row"><th role="rowheader" scope="row">${first.inner}</th>${rest.map(cell).join('')}</tr>`

const cell = ({ column, inner, more = '' }: Cell): string =>
  `<td role="cell" data-column="${escaped(column)}"${more}>${inner}</td>`

const facts = (list: readonly (readonly [string, string])[]): string =>
  `<dl class="facts">
${list.map(([name, inner]) => `<div><dt>${escaped(name)}</dt><dd>${inner}</dd></div>`).join('\n')}
</dl>`
