import Type, { type Static } from 'typebox'
import { Count, closed, Nullable, named, Texts } from '../../../domain/wire.ts'
import { Maybe, Num, Range, recorded, Timing } from '../reply-parts.ts'

const Binary = closed({
  n: Count,
  base_rate: Num,
  brier: Num,
  log_loss: Num,
  clipped: Count,
  crps: Num,
  skill: Maybe,
  auc: Maybe,
  ece: closed({ equal_width: Num, equal_mass: Num }),
  mce: Num,
  debiased_calibration_error: Nullable(closed({ squared: Num, root: Num, cases: Count })),
  murphy: closed({ reliability: Num, resolution: Num, uncertainty: Num, within_bin: Num }),
  spiegelhalter: Nullable(closed({ z: Num, p_value: Num })),
  isotonic: closed({ miscalibration: Num, discrimination: Num, uncertainty: Num }),
  bins: Type.Array(
    closed({
      lower: Num,
      upper: Num,
      cases: Count,
      mean_probability: Maybe,
      frequency: Maybe,
      wilson95: Nullable(Range),
      variance: Num,
      covariance: Num,
    }),
  ),
  bootstrap: Nullable(closed({ resamples: Count, seed: Count, brier95: Range, ece95: Range })),
})
const ScoresResult = closed({
  binary: Nullable(Binary),
  ensemble: Nullable(closed({ cases: Count, crps: Num, crps_fair: Num })),
  quantile: Nullable(
    closed({
      cases: Count,
      pinball: Num,
      levels: Type.Array(closed({ level: Num, pinball: Num, coverage: Num })),
      crossing_cases: Count,
    }),
  ),
  pareto: Nullable(closed({ front: Texts, of: Count })),
})
export type ScoresResult = Static<typeof ScoresResult>
export const ScoresReply = named('WireaEvalScores', { ...ScoresResult.properties, ...recorded, timing: Timing })
