/** What this process can compute with, as a page that needs no script. */
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
<p><strong>${escaped(report.summary)}</strong> <span class="quiet">${escaped(report.checked_at)}</span></p>
<p class="links-in"><a href="${escaped(places.json)}">The same as JSON</a></p>
</div>
<div class="cards">
${report.capabilities.map(card).join('\n')}
${roadmapCard(report)}
${lockCard(report)}
</div>`,
  })

const TIER_WORDS: Readonly<Record<Capability['tier'], string>> = {
  'LIVE-SOVEREIGN': 'answers now, hosted by the operator',
  'LIVE-MANAGED': 'answers now, hosted by somebody else',
  'WIRED-UNREACHABLE': 'configured and not answering',
  'NOT-CONFIGURED': 'not configured',
}

const card = (capability: Capability): string =>
  section(
    capability.id,
    capability.name,
    [
      ['State', `${capability.tier}: ${TIER_WORDS[capability.tier]}`],
      ['Label', capability.label],
      ...(capability.reason === undefined ? [] : [['Reason', capability.reason] as const]),
      ...(capability.mode === undefined ? [] : [['Asked', askedText(capability)] as const]),
      ...Object.entries(capability.facts).map(([name, value]) => withUnit(name, value)),
      ['Source', capability.source],
      ['Read at', capability.read_at],
    ],
    ` data-tier="${capability.tier}"`,
  )

const askedText = ({ mode, fetched_at, age_seconds }: Capability): string =>
  `${mode}, ${fetched_at}, ${age_seconds} s ago`

const roadmapCard = ({ roadmap }: SovereignCompute): string =>
  section(
    'roadmap',
    'Planned and not there',
    roadmap.map(({ name, label, note }) => [name, `${label}: ${note}`] as const),
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

function section(id: string, title: string, facts: readonly (readonly [string, unknown])[], more = ''): string {
  const name = `capability-${escaped(id)}`
  return `<section class="card" aria-labelledby="${name}"${more}><h2 id="${name}">${escaped(title)}</h2>
<dl class="facts">
${facts.map(([term, value]) => `<div><dt>${escaped(term)}</dt><dd>${shown(value)}</dd></div>`).join('\n')}
</dl></section>`
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
function withUnit(name: string, value: unknown): readonly [string, unknown] {
  const found = UNITS.find(([suffix]) => suffix.test(name))
  if (found === undefined || value === null) return [words(name), value]
  const [suffix, unit] = found
  const title = words(name.replace(suffix, ''))
  if (unit === 'bytes') return [title, `${(Number(value) / GIB).toFixed(2)} GiB (${value} bytes)`]
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
