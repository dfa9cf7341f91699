/** The analyses that are done at once. */
import type { Static } from 'typebox'
import { trustGap } from './divergence.ts'
import { lambdaPanel } from './lambda-panel.ts'
import { assertPositiveSum, readNumbers } from './number-list.ts'
import { gapPlot, panelPlot } from './plots.ts'
import { roundResult } from './rounding.ts'
import { GapQuery, PanelQuery } from './schemas.ts'

/** What is asked without a parameter of one's own is the example. */
const labelFor = (isExample: boolean) => (isExample ? ('SAMPLE' as const) : ('MODELED' as const))
const isDefault = (field: object, value: unknown): boolean => (field as { default?: unknown }).default === value

const GAP_BASIS =
  'divergences of the two lists after normalisation, in nats; trust_gap_pct = 100 (1 - exp(-KL)); the G test takes the proportions for n independent observations'

export function gapReply({ observed, reference, n }: Static<typeof GapQuery>) {
  const p = readNumbers('observed', observed, { minItems: 2 })
  const q = readNumbers('reference', reference, { minItems: 2, items: p.length })
  assertPositiveSum('observed', p)
  assertPositiveSum('reference', q)
  const { observed: first, reference: second } = GapQuery.properties
  const result = trustGap(p, q, n ?? null)
  const label = labelFor(isDefault(first, observed) && isDefault(second, reference) && n === undefined)
  return roundResult({ ...result, label, basis: GAP_BASIS, plot: gapPlot(result) })
}

const PANEL_BASIS =
  'weighted means of the caller’s scores; lambda is the mean of the asked kind under the ceiling. It is a conjecture, and nothing is decided by this value; where lambda decides it can hold a request and never lets one pass'

export function panelReply({ scores, kind, p, weights }: Static<typeof PanelQuery>) {
  const x = readNumbers('scores', scores, { max: 1 })
  const w = weights === undefined ? null : readNumbers('weights', weights, { items: x.length })
  if (w !== null) assertPositiveSum('weights', w)
  const result = lambdaPanel(x, w, kind, p)
  const { properties } = PanelQuery
  const isExample =
    isDefault(properties.scores, scores) && isDefault(properties.kind, kind) && isDefault(properties.p, p)
  const label = labelFor(isExample && w === null)
  return roundResult({ ...result, label, basis: PANEL_BASIS, plot: panelPlot(result) })
}
