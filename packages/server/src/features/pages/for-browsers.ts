/** What a person in a browser is shown where a program gets JSON: the page that shows the same thing, or the reply inside
 *  a page of ours. Programs that ask for anything, as curl and fetch do, are not concerned. */
import { formAccepted } from '../../domain/accept.ts'
import { framedPage } from '../../domain/page/frame.ts'
import { PAGE_POLICY, pageHeaders } from '../../domain/page/headers.ts'
import { findPaths, pageLinks } from '../../domain/page/links.ts'
import { escaped } from '../../domain/page/markup.ts'
import type { BrowserPages, CatalogEntry, Ports } from '../../ports.ts'

type Deps = Pick<Ports, 'build' | 'publicOrigin'> & { catalog: readonly CatalogEntry[] }
type Asked = Parameters<BrowserPages['addressOf']>[1]
type Address = (asked: Asked) => string | null

const JSON_TYPE = 'application/json'
const HTML = 'text/html'

const DECISIONS: Address = ({ query }) => withFilters('/console/decisions', query)
const RECEIPTS: Address = ({ query }) => withFilters('/console/receipts', query)
const READINESS: Address = () => '/console/readiness'
const ASSURANCE: Address = () => '/console/assurance'
const receipt =
  (name: string): Address =>
  ({ params }) =>
    /^[0-9a-f]{64}$/.test(params[name] ?? '') ? `/console/receipts/${params[name]}` : null
const item =
  (page: string, name: string): Address =>
  ({ params }) =>
    `/console/${page}/${encodeURIComponent(params[name] ?? '')}`

/** By the operation that answers: the page that shows what it says. */
const PAGES_OF_OPERATIONS: Readonly<Record<string, Address>> = {
  'khipu.ledger': DECISIONS,
  'wow.ledger': DECISIONS,
  'receipts.events': DECISIONS,
  'receipts.outcomes': DECISIONS,
  'lake.receipts': RECEIPTS,
  'receipts.get': receipt('digest'),
  'khipu.verifyById': receipt('digest'),
  'receipts.verifyById': receipt('receipt_id'),
  'lake.proof': receipt('id'),
  'reviews.list': () => '/console/reviews',
  'reviews.read': item('reviews', 'review_id'),
  'organs.catalog': () => '/console/organs',
  'organs.describe': item('organs', 'organ_id'),
  'runtime.healthz': READINESS,
  'runtime.livez': READINESS,
  'runtime.readyz': READINESS,
  'runtime.rollup': READINESS,
  'runtime.health': READINESS,
  'readiness.panel': READINESS,
  'readiness.live': READINESS,
  'readiness.refresh': READINESS,
  'assurance.matrix': ASSURANCE,
  'assurance.fit': ASSURANCE,
  'assurance.evidencePack': ASSURANCE,
  'operator.topology': () => '/operator-organ',
  'sovereignCompute.record': () => '/sovereign-compute',
  'm1.gate': () => '/models/m1',
}

/** What the documentation shows, where it is served: the part of its address after its own path. */
const DOCUMENTED: Readonly<Record<string, Address>> = {
  'runtime.openapi': () => '',
  'docs.documents': () => '',
  'docs.document': ({ params }) => `/${params['*']}`,
}

const FILTERS = ['decision', 'kind', 'chain', 'agent', 'tool', 'gate', 'session', 'signed', 'policy', 'since', 'until']

function withFilters(path: string, query: Asked['query']): string {
  const given = [...FILTERS, 'q'].flatMap((name) => (typeof query[name] === 'string' ? [[name, query[name]]] : []))
  const search = new URLSearchParams(given as string[][]).toString()
  return search === '' ? path : `${path}?${search}`
}

export function pagesForBrowsers({ catalog, build, publicOrigin }: Deps): BrowserPages {
  const around = () => ({ links: pageLinks(catalog), path: '', scripts: [], commit: build.gitSha.value })
  const page = (title: string, intro: string, main: string) => ({
    html: framedPage({ title, intro, main, ...around() }),
    headers: pageHeaders(PAGE_POLICY),
  })
  return {
    isNavigation: ({ accept, 'sec-fetch-dest': destination }) =>
      typeof accept === 'string' &&
      accept.includes(HTML) &&
      (destination === undefined || destination === 'document') &&
      formAccepted(accept, [JSON_TYPE, HTML]) === HTML,
    addressOf: (id, asked) => {
      const docs = findPaths(catalog, ['docs.page'])[0]
      if (docs !== undefined && id in DOCUMENTED) return docs + (DOCUMENTED[id]?.(asked) ?? '')
      return PAGES_OF_OPERATIONS[id]?.(asked) ?? null
    },
    showReply: ({ id, url, host, body }) => {
      const summary = catalog.find((entry) => entry.id === id)?.summary ?? id
      const main = `${curlLine(publicOrigin(host), url)}\n${replyBox(body)}`
      return page(summary, 'The reply as a program gets it.', main)
    },
    showRefusal: ({ status, code, body }) => {
      const { error, detail } = body as { error?: { message?: string; request_id?: string }; detail?: FaultAt[] }
      const words = error?.message ?? detail?.map(faultWords).join('; ') ?? code
      const main = `<section class="card" aria-labelledby="said"><h2 id="said">What the service said</h2>
<dl class="kv">
<div><dt>Status</dt><dd>${status}</dd></div>
<div><dt>Code</dt><dd><code>${escaped(code)}</code></dd></div>
${error?.request_id === undefined ? '' : `<div><dt>Request</dt><dd><code>${escaped(error.request_id)}</code></dd></div>`}
</dl></section>
<p class="btn-row"><a class="btn btn-first" href="/">What is here</a></p>`
      return page(TITLES[status] ?? `Not answered (${status})`, sentence(words), main)
    },
  }
}

interface FaultAt {
  loc: (string | number)[]
  msg: string
}

const faultWords = ({ loc, msg }: FaultAt): string => `in ${loc.join('.')}: ${msg}`

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

const TITLES: Readonly<Record<number, string>> = {
  401: 'A token is needed here',
  403: 'Not allowed',
  404: 'There is no such page',
  405: 'Not a page',
  422: 'The address does not fit',
  429: 'Too many requests',
  500: 'The service failed',
  503: 'Not available now',
}

const curlLine = (origin: string | null, url: string): string =>
  origin === null ? '' : `<p class="line"><code>${escaped(`curl -sS '${origin}${url}'`)}</code></p>`

const MAX_SHOWN = 200_000

function replyBox(body: object | string): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body, null, 2)
  const cut =
    text.length > MAX_SHOWN
      ? `<p class="quiet">The first ${MAX_SHOWN} of ${text.length} characters; the line above gives all of them.</p>`
      : ''
  return `<pre class="reply" tabindex="0" role="region" aria-label="Reply">${escaped(text.slice(0, MAX_SHOWN))}</pre>${cut}`
}
