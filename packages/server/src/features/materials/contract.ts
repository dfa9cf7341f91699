import type { FittedModel } from './predict.ts'
import type { MaterialsHealth } from './schemas.ts'

export interface Materials {
  /** Waits for the model within the deadline of a prediction; rejects with `compute_busy` after it. */
  fitted(signal: AbortSignal): Promise<{ fitted: FittedModel; data_sha256: string; elements_sha256: string }>
  health(): Promise<MaterialsHealth>
}
