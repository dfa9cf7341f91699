/** The job of the compute pool: trains a model and measures it. Pure: the same parameters give the same result. */
import { roundDeep } from '../../domain/rounded.ts'
import type { JobContext } from '../../platform/compute/job.ts'
import { readout } from './ablation.ts'
import { copyOf, initialise } from './autoencoder.ts'
import { openData } from './data.ts'
import { evaluate } from './evaluate.ts'
import { STEPS } from './parameters.ts'
import type { SaeParameters } from './schemas.ts'
import { train } from './train.ts'

export interface SaeResult {
  trained: ReturnType<typeof evaluate>
  untrained: ReturnType<typeof evaluate>
  lossCurve: number[]
}

export function trainAutoencoder(parameters: SaeParameters, { progress }: JobContext): SaeResult {
  const data = openData(parameters)
  const model = initialise(parameters)
  const untrained = copyOf(model)
  const { lossCurve, trainedRows } = train(model, data, { steps: STEPS, batch: parameters.batch }, progress)
  const weights = readout(parameters)
  return roundDeep({
    trained: evaluate(model, data, trainedRows, weights),
    untrained: evaluate(untrained, data, trainedRows, weights),
    lossCurve,
  })
}
