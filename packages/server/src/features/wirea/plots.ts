/** The pictures of the replies. */
import type { Plot } from '../../domain/plot.ts'
import { roundDeep } from '../../domain/rounded.ts'
import type { GraphMeasures } from './graph/replies.ts'
import { sortedCopy } from './quantiles.ts'
import type { AnomalyResult, CoverageResult, GapResult, PanelResult, RewardResult } from './replies.ts'
import type { ScoresResult } from './scores/replies.ts'

type Points = [number, number][]
type Line = Plot['reference_lines'][number]

const MAX_BINS = 40
const MAX_VALUE_LINES = 20

const axis = (name: string, min: number | null, max: number | null, unit: string | null = null): Plot['x'] => ({
  name,
  unit,
  min,
  max,
})
const inOrder = (values: readonly number[]): Points => values.map((value, i) => [i, value])
const line = (axisName: Line['axis'], value: number | null, name: string): Line[] =>
  value === null ? [] : [{ axis: axisName, value, name }]

export function anomalyPlot(baseline: readonly number[], result: AnomalyResult): Plot {
  const { results, p95, p99, tukey, median } = result
  const { points, width, low, high } = histogram(sortedCopy(baseline))
  const shown = results.slice(0, MAX_VALUE_LINES)
  const reference_lines = [
    ...shown.flatMap(({ value, severity }) => line('x', value, severity)),
    ...line('x', median, 'median'),
    ...line('x', p95, 'p95'),
    ...line('x', p99, 'p99'),
    ...line('x', tukey.lower, 'lower fence'),
    ...line('x', tukey.upper, 'upper fence'),
  ]
  // Bars from edge to edge, every value that was judged, and every line: nothing lies outside of the picture.
  const all = [low, high, ...results.map(({ value }) => value), ...reference_lines.map(({ value }) => value)]
  const bars = points.flatMap(([x]) => [x - width / 2, x + width / 2])
  return roundDeep({
    kind: 'bar',
    title: 'The baseline, and where the values lie in it',
    x: axis('value', Math.min(...all, ...bars), Math.max(...all, ...bars)),
    y: axis('values of the baseline', 0, Math.max(...points.map(([, count]) => count)), 'count'),
    series: [{ name: 'baseline', points }],
    reference_lines,
  })
}

/** Middles of bins of equal width and their counts; one bin where all values are equal. */
function histogram(sorted: Float64Array): { points: Points; width: number; low: number; high: number } {
  const [low, high] = [sorted[0]!, sorted.at(-1)!]
  const bins = high === low ? 1 : Math.min(MAX_BINS, Math.ceil(Math.sqrt(sorted.length)))
  const width = (high - low) / bins
  const counts = new Array<number>(bins).fill(0)
  for (const x of sorted) counts[width === 0 ? 0 : Math.min(bins - 1, Math.floor((x - low) / width))]! += 1
  return { points: counts.map((count, at) => [low + (at + 0.5) * width, count]), width, low, high }
}

export const gapPlot = ({ observed, reference }: GapResult): Plot =>
  roundDeep({
    kind: 'bar',
    title: 'Observed and reference proportions',
    x: axis('place in the list', 0, observed.length - 1),
    y: axis('proportion', 0, 1),
    series: [
      { name: 'observed', points: inOrder(observed) },
      { name: 'reference', points: inOrder(reference) },
    ],
    reference_lines: [],
  })

export const panelPlot = ({ axes, lambda, floor, trust_ceiling }: PanelResult): Plot =>
  roundDeep({
    kind: 'bar',
    title: 'Scores and their mean',
    x: axis('place in the list', 0, axes.length - 1),
    y: axis('score', 0, 1),
    series: [{ name: 'scores', points: inOrder(axes) }],
    reference_lines: [
      ...line('y', lambda, 'lambda'),
      ...line('y', floor, 'floor'),
      ...line('y', trust_ceiling, 'ceiling'),
    ],
  })

export const rewardPlot = ({ ranked }: RewardResult): Plot =>
  roundDeep({
    kind: 'scatter',
    title: 'Quality against cost',
    x: axis('cost', 0, 1),
    y: axis('quality', 0, 1),
    series: ranked.map(({ model, cost, quality }) => ({ name: model, points: [[cost, quality]] })),
    reference_lines: [],
  })

/** The reliability diagram; none without probabilities. */
export function scoresPlot({ binary }: ScoresResult): Plot | null {
  if (binary === null) return null
  const filled = binary.bins.filter(({ cases }) => cases > 0)
  return roundDeep({
    kind: 'line',
    title: 'Reliability: how often it happened, by what was said',
    x: axis('mean probability', 0, 1),
    y: axis('frequency', 0, 1),
    series: [
      { name: 'measured', points: filled.map((bin): [number, number] => [bin.mean_probability!, bin.frequency!]) },
      { name: 'lower 95 %', points: filled.map((bin): [number, number] => [bin.mean_probability!, bin.wilson95!.low]) },
      {
        name: 'upper 95 %',
        points: filled.map((bin): [number, number] => [bin.mean_probability!, bin.wilson95!.high]),
      },
      {
        name: 'calibrated',
        points: [
          [0, 0],
          [1, 1],
        ],
      },
    ],
    reference_lines: line('y', binary.base_rate, 'base rate'),
  })
}

export const coveragePlot = ({ trials, coverage_target, coverage_law, trials_asked }: CoverageResult): Plot =>
  roundDeep({
    kind: 'scatter',
    title: trials.length === 0 ? 'The band is infinite: nothing was measured' : 'Coverage of each trial',
    x: axis('trial', 0, trials_asked - 1),
    y: axis('share of test rows covered', 0, 1),
    series: [{ name: 'coverage', points: inOrder(trials.map(({ coverage }) => coverage)) }],
    reference_lines: [
      ...line('y', coverage_target, 'target'),
      ...line('y', coverage_law?.p05 ?? null, '5 % of the law'),
      ...line('y', coverage_law?.p95 ?? null, '95 % of the law'),
    ],
  })

/** Nodes by place in `nodes`; each two points of `edges` are one edge. */
export const graphPlot = ({ layout: { positions, edges } }: GraphMeasures, title: string): Plot =>
  roundDeep({
    kind: 'graph',
    title,
    x: axis('layout', 0, 1),
    y: axis('layout', 0, 1),
    series: [
      { name: 'nodes', points: positions },
      { name: 'edges', points: edges.flatMap(([a, b]) => [positions[a!]!, positions[b!]!]) },
    ],
    reference_lines: [],
  })
