/** What this process can compute with, as a page that needs no script. */
import { momentOf } from '@orch/core/topology-words'
import { badge } from '../../domain/page/badge.ts'
import { framedPage } from '../../domain/page/frame.ts'
import type { Link } from '../../domain/page/links.ts'
import { escaped } from '../../domain/page/markup.ts'
import type { Capability, SovereignCompute } from './schemas.ts'

const INTRO =
  'What this process has to compute with, read while this page was made. What could not be read says why; nothing here is a promise.'

interface PagePlaces {
  page: string
  json: string
}

export const sovereignPage = (
  report: SovereignCompute,
  places: PagePlaces,
  links: readonly Link[],
  commit: string | null,
): string =>
  framedPage({
    title: 'Compute',
    intro: INTRO,
    links,
    path: places.page,
    scripts: [],
    commit,
    main: `<div class="toolbar">
<p><strong>${escaped(report.summary)}</strong> <span class="quiet">${momentOf(report.checked_at)}</span></p>
<p class="quiet">As JSON: <code>GET ${escaped(places.json)}</code></p>
</div>
<div class="cards columns">
${report.capabilities.map(card).join('\n')}
${roadmapCard(report)}
${lockCard(report)}
</div>`,
  })

const TIER_WORDS: Readonly<Record<Capability['tier'], string>> = {
  'LIVE-SOVEREIGN': 'Answers now, hosted by the operator',
  'LIVE-MANAGED': 'Answers now, hosted by somebody else',
  'WIRED-UNREACHABLE': 'Configured and not answering',
  'NOT-CONFIGURED': 'Not configured',
}

const card = ({ id, name, tier, label, reason, source, read_at, facts, ...asked }: Capability): string => {
  const words = `<strong>${TIER_WORDS[tier]}</strong>${reason === undefined ? '' : `: ${escaped(reason)}`}`
  return section(
    id,
    name,
    [
      ...(asked.mode === undefined ? [] : [['Asked', askedText(asked)] as const]),
      ...Object.entries(facts).map(([fact, value]) => withUnit(fact, value)),
    ],
    {
      attributes: ` data-tier="${tier}"`,
      head: badge(label, source, read_at),
      intro: `<p title="${tier}">${words}</p>`,
      foot: `<p class="quiet small">Source: ${escaped(source)}, read ${momentOf(read_at)}</p>`,
    },
  )
}

const askedText = ({
  mode,
  fetched_at,
  age_seconds,
}: Pick<Capability, 'mode' | 'fetched_at' | 'age_seconds'>): string => `${mode}, ${fetched_at}, ${age_seconds} s ago`

const roadmapCard = ({ roadmap }: SovereignCompute): string =>
  section(
    'roadmap',
    'Planned and not there',
    roadmap.map(({ name, note }) => [name, note] as const),
    { head: badge('ROADMAP', 'planned, not delivered') },
  )

const lockCard = ({ doctrine_lock: lock }: SovereignCompute): string =>
  section('doctrine-lock', 'Doctrine lock', [
    ['Version', lock.version],
    ['Locked formulas', `${lock.locked_count}: ${lock.locked_ids.join(', ')}`],
    ['Lock', lock.lock],
    ['Kernel commit', lock.kernel_commit],
    ['Lambda', `${lock.lambda.status}, no theorem, at most ${lock.lambda.trust_ceiling}, floor ${lock.lambda.floor}`],
    ['Consensus', lock.consensus],
  ])

interface Around {
  attributes?: string
  head?: string
  intro?: string
  foot?: string
}

function section(
  id: string,
  title: string,
  facts: readonly (readonly [string, unknown])[],
  around: Around = {},
): string {
  const name = `capability-${escaped(id)}`
  const { attributes = '', head = '', intro = '', foot = '' } = around
  const rows = facts.map(([term, value]) => `<div><dt>${escaped(term)}</dt><dd>${shown(value)}</dd></div>`)
  const list = rows.length === 0 ? '' : `<dl class="facts">\n${rows.join('\n')}\n</dl>`
  return `<section class="card" aria-labelledby="${name}"${attributes}><div class="card-head"><h2 id="${name}">${escaped(title)}</h2><span class="right">${head}</span></div>
<div class="card-body">${intro}
${list}${foot}</div></section>`
}

/** Where the name on the wire is no name for a person. */
const FACT_WORDS: Readonly<Record<string, string>> = {
  cores_usable: 'Cores it may use',
  cgroup_quota_cores: 'Limit of the container, cores',
  cgroup_limit_bytes: 'Limit of the container_bytes',
  process_rss_bytes: 'Used by this process_bytes',
  load_1m: 'Load, 1 minute',
  load_5m: 'Load, 5 minutes',
  load_15m: 'Load, 15 minutes',
  gflop_per_s_median: 'Gflop/s, median of the runs',
  weights_sha256: 'Digest of the weights',
}

const words = (name: string): string => {
  const text = name.replaceAll('_', ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

const UNITS: readonly (readonly [suffix: RegExp, unit: string])[] = [
  [/_bytes$/, 'bytes'],
  [/_ms$/, 'ms'],
  [/_mib$/, 'MiB'],
  [/_pct$/, '%'],
]
const GIB = 2 ** 30

/** The unit that the name of a fact ends with stands behind its number. */
function withUnit(given: string, value: unknown): readonly [string, unknown] {
  const name = FACT_WORDS[given] ?? given
  const found = UNITS.find(([suffix]) => suffix.test(name))
  if (found === undefined) return [words(name), value]
  const [suffix, unit] = found
  const title = words(name.replace(suffix, ''))
  if (value === null) return [title, value]
  if (unit === 'bytes')
    return [title, `${(Number(value) / GIB).toFixed(2)} GiB (${Number(value).toLocaleString('en')} bytes)`]
  return [title, `${Array.isArray(value) ? value.join(', ') : value} ${unit}`]
}

/** Values of any form; every text in them is escaped. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return '<span class="quiet">none</span>'
  if (Array.isArray(value)) return value.length === 0 ? '<span class="quiet">none</span>' : list(value)
  if (typeof value !== 'object') return escaped(String(value))
  return `<dl class="facts">${Object.entries(value)
    .map(([name, part]) => withUnit(name, part))
    .map(([term, part]) => `<div><dt>${escaped(term)}</dt><dd>${shown(part)}</dd></div>`)
    .join('')}</dl>`
}

const list = (values: readonly unknown[]): string =>
  values.every((value) => typeof value !== 'object')
    ? escaped(values.join(', '))
    : `<ul class="items">${values.map((value) => `<li>${shown(value)}</li>`).join('')}</ul>`
