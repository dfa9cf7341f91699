/** The operator page: the topology of the request that asked for it, as a drawing and as tables. */

import {
  callsOf,
  countsOf,
  evidenceOf,
  latencyOf,
  momentOf,
  stateOf,
  timesOf,
  verdictOf,
} from '@orch/core/topology-words'
import { badge } from '../../domain/page/badge.ts'
import { framedPage } from '../../domain/page/frame.ts'
import type { Link } from '../../domain/page/links.ts'
import { escaped } from '../../domain/page/markup.ts'
import { SIGNS } from './nodes.ts'
import type { Topology } from './schemas.ts'

type TopologyNode = Topology['core']
type Edge = Topology['edges'][number]

interface PagePlaces {
  page: string
  script: string
  topology: string
}

const INTRO =
  'Every part of this service was made to do its work for this very page. What could not be tried says why; what was not observed is not drawn as traffic.'

export const operatorPage = (
  topology: Topology,
  places: PagePlaces,
  links: readonly Link[],
  commit: string | null,
): string =>
  framedPage({
    title: 'Operator',
    intro: INTRO,
    links,
    path: places.page,
    scripts: [places.script],
    commit,
    main: `<div id="topology" data-source="${escaped(places.topology)}">
${toolbar(topology, places)}
<section class="card" aria-labelledby="graph-heading"><h2 id="graph-heading">Topology</h2>${drawGraph(topology)}</section>
<section class="card" aria-labelledby="nodes-heading"><h2 id="nodes-heading">Parts</h2>${nodeTable(topology)}</section>
<section class="card" aria-labelledby="edges-heading"><h2 id="edges-heading">Calls</h2>${edgeTable(topology)}</section>
</div>`,
  })

const fact = (name: string, text: string): string => `<span data-fact="${name}">${escaped(text)}</span>`

const toolbar = (found: Topology, { topology }: PagePlaces): string => `<div class="toolbar">
<p><strong>${fact('verdict', verdictOf(found))}</strong>. ${fact('counts', countsOf(found))}. ${badge(found.label, 'checks made for this page', found.generated_at)} <span class="quiet">${fact('generated', momentOf(found.generated_at))}</span></p>
<button type="button" id="reload" class="btn" hidden>Check again</button>
<p class="quiet">As JSON: <code>GET ${escaped(topology)}</code></p>
<p id="status" class="quiet" role="status"></p>
</div>`

/** The roles stay what they are where a narrow page lays rows out as cards. */
const tableOf = (caption: string, columns: readonly string[], rows: readonly string[]): string => `<table role="table">
<caption>${escaped(caption)}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => `<th role="columnheader" scope="col">${escaped(name)}</th>`).join('')}</tr></thead>
<tbody role="rowgroup">
${rows.join('\n')}
</tbody></table>`

const nodeTable = ({ core, nodes }: Topology): string =>
  tableOf(
    'Each check ran while this page was made',
    ['Part', 'State', 'Check and what it saw', 'Took', 'Since', 'Read on'],
    [core, ...nodes].map(nodeRow),
  )

const cell = (column: string, inner: string, more = ''): string =>
  `<td role="cell" data-column="${column}"${more}>${inner}</td>`

const nodeRow = (node: TopologyNode): string =>
  `<tr role="row"><th role="rowheader" scope="row">${escaped(node.name)} <span class="quiet">${escaped(node.role)}</span></th>${[
    cell(
      'State',
      fact(`${node.id}.state`, stateOf(node.healthy)),
      ` class="state" data-node="${node.id}" data-healthy="${node.healthy}"`,
    ),
    cell(
      'Check and what it saw',
      `${escaped(node.check)} <strong class="bad">${fact(`${node.id}.reason`, node.reason ?? '')}</strong>
<details><summary>Evidence of ${fact(`${node.id}.checked`, momentOf(node.checked_at))}</summary><pre>${fact(`${node.id}.evidence`, evidenceOf(node))}</pre></details>`,
    ),
    cell('Took', fact(`${node.id}.latency`, latencyOf(node.latency_ms)), ' class="number"'),
    cell('Since', fact(`${node.id}.since`, momentOf(node.since)), ' class="moment"'),
    cell(
      'Read on',
      node.links.map((path) => `<a href="${escaped(path)}">${escaped(path)}</a>`).join('<br>') || 'none',
      ' class="links-in long"',
    ),
  ].join('')}</tr>`

const edgeTable = ({ edges }: Topology): string =>
  tableOf(
    `Counted around the calls themselves in the last ${edges[0]?.window_s ?? 0} s`,
    ['From', 'To', 'What', 'Calls', 'Median / 99th percentile'],
    edges.map(edgeRow),
  )

const edgeRow = (edge: Edge): string =>
  `<tr role="row"><th role="rowheader" scope="row">${escaped(SIGNS[edge.from].name)}</th>${[
    cell('To', escaped(SIGNS[edge.to].name)),
    cell('What', escaped(edge.relation)),
    cell('Calls', fact(`${edge.from}-${edge.to}.calls`, String(edge.observed_calls)), ' class="number"'),
    cell('Median / 99th percentile', fact(`${edge.from}-${edge.to}.times`, timesOf(edge)), ' class="number"'),
  ].join('')}</tr>`

const WIDTH = 680
const HEIGHT = 420
const x = (pos: readonly number[]): number => WIDTH / 2 + (pos[0] ?? 0)
const y = (pos: readonly number[]): number => HEIGHT / 2 - 10 + (pos[1] ?? 0)

/** A shape of its own for each state, so that nothing is said by colour alone. */
const SHAPES = `<defs>
<symbol id="state-true" viewBox="0 0 40 40"><circle cx="20" cy="20" r="16" stroke-width="3"/><circle cx="20" cy="20" r="5" fill="currentColor" stroke="none"/></symbol>
<symbol id="state-false" viewBox="0 0 40 40"><path d="M20 3l17 17-17 17L3 20z" stroke-width="3"/><path d="M14 14l12 12M26 14L14 26" fill="none" stroke-width="3"/></symbol>
<symbol id="state-null" viewBox="0 0 40 40"><rect x="5" y="5" width="30" height="30" stroke-width="3" stroke-dasharray="5 4"/><path d="M13 20h14" fill="none" stroke-width="3"/></symbol>
</defs>`

/** The topology as a drawing. It says nothing the tables on the page do not say, and nothing in it moves by itself. */
const drawGraph = ({
  core,
  nodes,
  edges,
}: Topology): string => `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="graph-title">
<title id="graph-title">The operator in the middle, eight parts around it, lines where calls are counted. The tables below hold the same facts.</title>
${SHAPES}
${edges.map(drawEdge).join('\n')}
${[core, ...nodes].map(drawNode).join('\n')}
</svg>`

/** A line that goes straight down begins under the words of its node. */
const labelOffset = (own: readonly number[], other: readonly number[]): number =>
  own[0] === other[0] && y(other) > y(own) ? 62 : 0

function drawEdge({ from, to, observed_calls }: Topology['edges'][number]): string {
  const [a, b] = [SIGNS[from].pos, SIGNS[to].pos]
  const id = `${from}-${to}`
  const [from_y, to_y] = [y(a) + labelOffset(a, b), y(b) + labelOffset(b, a)]
  const line = `<line class="edge" data-edge="${id}" data-observed="${observed_calls > 0}" x1="${x(a)}" y1="${from_y}" x2="${x(b)}" y2="${to_y}"/>`
  const middle = `x="${(x(a) + x(b)) / 2}" y="${(from_y + to_y) / 2 + 4}"`
  return `${line}<text class="calls" ${middle} data-fact="${id}.label">${callsOf(observed_calls)}</text>`
}

const drawNode = ({ id, name, pos, healthy }: Topology['core']): string =>
  `<g class="state" data-node="${id}" data-healthy="${healthy}"><use href="#state-${healthy}" x="${x(pos) - 22}" y="${y(pos) - 22}" width="44" height="44"/><text x="${x(pos)}" y="${y(pos) + 38}">${escaped(name)}</text><text class="calls" x="${x(pos)}" y="${y(pos) + 54}" data-fact="${id}.state">${stateOf(healthy)}</text></g>`
