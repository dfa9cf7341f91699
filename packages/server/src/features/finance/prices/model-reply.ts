import { flags } from '../../../domain/observation.ts'
import { withComputation } from '../computation.ts'
import { groupMedians, MAX_AGE, MAX_ROWS, MIN_GROUPS, MODEL_CASES, MODEL_NOW, REJECT_CODES } from './model.ts'
import type { PriceModel } from './schemas.ts'

const COMPONENT = 'orch.finance.price-model/1'

/** Computed in the request: the same for everybody, for nothing in it was read. */
export function modelReply(sourceRevision: string): PriceModel {
  const reply: Omit<PriceModel, 'computation'> = {
    schema: 'orch.finance.signed-price-model/v1',
    label: 'SIMULATED',
    simulator: 'median-of-within-group-medians',
    version: '1',
    seed: null,
    now: MODEL_NOW,
    estimator:
      'reference = median over groups of the median within the group; a venue without a group is a group of its own; group_mad_bps = 1e4 * median|g - reference| / reference',
    assumptions: [
      'venues of one group fail together, venues of different groups do not',
      'the caller knows the groups; the model does not find them',
    ],
    not_real: 'venues, prices and times are written in the model; no market was read',
    limits: { max_rows: MAX_ROWS, max_age: MAX_AGE, min_groups: MIN_GROUPS },
    reject_codes: [...REJECT_CODES],
    cases: MODEL_CASES.map(({ case: name, rows }) => ({
      case: name,
      rows: rows.map((row) => ({ ...row })),
      ...groupMedians(rows, 'BTC'),
    })),
    can_authorize: false,
    ...flags,
  }
  return withComputation(reply, COMPONENT, sourceRevision)
}
