/** Pictures of what was computed; they are in no digest. */
import type { Static } from 'typebox'
import type { Plot } from '../../domain/plot.ts'
import type { ScoreReply, ShotPlanReply } from './replies.ts'

/** Null where nothing is measured. */
export function shotPlot(result: object): Plot | null {
  const { groups } = result as Static<typeof ShotPlanReply>['result']
  if (groups.length === 0) return null
  return {
    kind: 'bar',
    title: 'Shots for each group',
    x: { name: 'group', unit: null, min: 0, max: groups.length - 1 },
    y: { name: 'shots', unit: null, min: 0, max: Math.max(...groups.map(({ shots }) => shots)) },
    series: [{ name: 'shots', points: groups.map(({ shots }, at) => [at, shots]) }],
    reference_lines: [],
  }
}

/** Null where no margin is known. */
export function scorePlot(result: object): Plot | null {
  const { candidates } = result as Static<typeof ScoreReply>['result']
  const points = (of: (row: (typeof candidates)[number]) => string | null | undefined) =>
    candidates.flatMap((row, at) => {
      const amount = of(row)
      return amount == null ? [] : [[at, Number(amount)]]
    })
  const series = [
    { name: 'margin', points: points(({ margin }) => margin) },
    { name: 'low', points: points(({ interval }) => interval?.low) },
    { name: 'high', points: points(({ interval }) => interval?.high) },
  ]
  const amounts = series.flatMap((one) => one.points.map(([, amount]) => amount!))
  if (amounts.length === 0) return null
  return {
    kind: 'scatter',
    title: 'Margin of each candidate',
    x: { name: 'candidate', unit: null, min: 0, max: candidates.length - 1 },
    y: { name: 'margin', unit: 'USD', min: Math.min(0, ...amounts), max: Math.max(0, ...amounts) },
    series,
    reference_lines: [{ axis: 'y', value: 0, name: 'break-even' }],
  }
}
