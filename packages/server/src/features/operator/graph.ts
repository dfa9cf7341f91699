/** The topology as a drawing. It says nothing the tables on the page do not say, and nothing in it moves by itself. */

import { callsOf, stateOf } from '@orch/core/topology-words'
import { escaped } from '../../domain/page/markup.ts'
import { SIGNS } from './nodes.ts'
import type { Topology } from './schemas.ts'

const WIDTH = 680
const HEIGHT = 420
const x = (pos: readonly number[]): number => WIDTH / 2 + (pos[0] ?? 0)
const y = (pos: readonly number[]): number => HEIGHT / 2 - 10 + (pos[1] ?? 0)

/** A shape of its own for each state, so that nothing is said by colour alone. */
const SHAPES = `<defs>
<symbol id="state-true" viewBox="0 0 40 40"><circle cx="20" cy="20" r="16" stroke-width="3"/><path d="M12 20l6 6 10-11" fill="none" stroke-width="3"/></symbol>
<symbol id="state-false" viewBox="0 0 40 40"><path d="M20 3l17 17-17 17L3 20z" stroke-width="3"/><path d="M14 14l12 12M26 14L14 26" fill="none" stroke-width="3"/></symbol>
<symbol id="state-null" viewBox="0 0 40 40"><rect x="5" y="5" width="30" height="30" stroke-width="3" stroke-dasharray="5 4"/><path d="M13 20h14" fill="none" stroke-width="3"/></symbol>
</defs>`

export const drawGraph = ({
  core,
  nodes,
  edges,
}: Topology): string => `<svg class="graph" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="graph-title">
<title id="graph-title">The operator in the middle, eight parts around it, lines where calls are counted. The tables below hold the same facts.</title>
${SHAPES}
${edges.map(drawEdge).join('\n')}
${[core, ...nodes].map(drawNode).join('\n')}
</svg>`

function drawEdge({ from, to, observed_calls }: Topology['edges'][number]): string {
  const [a, b] = [SIGNS[from].pos, SIGNS[to].pos]
  const id = `${from}-${to}`
  const line = `<line class="edge" data-edge="${id}" data-observed="${observed_calls > 0}" x1="${x(a)}" y1="${y(a)}" x2="${x(b)}" y2="${y(b)}"/>`
  const middle = `x="${(x(a) + x(b)) / 2}" y="${(y(a) + y(b)) / 2 + 4}"`
  return `${line}<text class="calls" ${middle} data-fact="${id}.label">${callsOf(observed_calls)}</text>`
}

const drawNode = ({ id, name, pos, healthy }: Topology['core']): string =>
  `<g class="state" data-node="${id}" data-healthy="${healthy}"><use href="#state-${healthy}" x="${x(pos) - 22}" y="${y(pos) - 22}" width="44" height="44"/><text x="${x(pos)}" y="${y(pos) + 38}">${escaped(name)}</text><text class="calls" x="${x(pos)}" y="${y(pos) + 54}" data-fact="${id}.state">${stateOf(healthy)}</text></g>`
