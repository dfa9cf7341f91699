/** A prediction as a reply, and its receipt with the digests of what came in and went out. */
import type { Plot } from '../../domain/plot.ts'
import { portableDigest } from '../../domain/portable-digest.ts'
import { roundDeep } from '../../domain/rounded.ts'
import type { Call } from '../../operation.ts'
import type { Draft } from '../../ports.ts'
import type { Materials } from './contract.ts'
import { KERNEL, predict } from './predict.ts'
import { EXAMPLE, readComposition } from './request.ts'
import type { PredictBody, PredictReply } from './schemas.ts'
import { fractionsOf } from './tables.ts'

export const PREDICT = 'materials.predict'
const NOTES = [
  'of a crystalline inorganic compound at 298.15 K from its elements; neither structure nor polymorph is known to the model',
  'a row of the table is predicted without itself; scaling, line and hyperparameters are those of all rows',
]

export async function predictDraft(
  port: Materials,
  { body, inputSource, signal }: Pick<Call<unknown, unknown, PredictBody>, 'body' | 'inputSource' | 'signal'>,
): Promise<Draft> {
  const composition = readComposition(body)
  const confidence = body.confidence ?? EXAMPLE.confidence!
  const { fitted, data_sha256, elements_sha256 } = await port.fitted(signal)
  const found = predict(fitted, composition, confidence)
  const result = roundDeep({
    property: 'formation_energy' as const,
    units: 'eV/atom' as const,
    composition,
    fractions: fractionsOf(composition),
    confidence,
    ...found,
    model: { kernel: KERNEL, rows: fitted.training.length, data_sha256, elements_sha256 },
    notes: NOTES,
  })
  const label = inputSource === 'CALLER' ? ('MODELED' as const) : ('SAMPLE' as const)
  const digests = { input_sha256: portableDigest(body), output_sha256: portableDigest(result) }
  const answer: Omit<PredictReply, 'receipt'> = {
    kind: 'orch.materials-prediction/v1',
    label,
    label_detail:
      'a Gaussian process on tabulated enthalpies; the table is a committed sample, the prediction is a model',
    input_source: inputSource,
    ...result,
    ...digests,
    plot: plotOf(result),
  }
  return {
    chain: 'materials',
    kind: 'analysis',
    payload: { operation: PREDICT, ...digests, label, input_source: inputSource },
    answer,
  }
}

type Shown = Pick<PredictReply, 'value' | 'interval' | 'reference' | 'hull'>

function plotOf({ value, interval, reference, hull }: Shown): Plot | null {
  if (value === null || interval === null) return null
  const lines = [
    ...(reference === null ? [] : [{ axis: 'y' as const, value: reference.value, name: 'table' }]),
    ...(hull === null ? [] : [{ axis: 'y' as const, value: hull.competing_energy, name: 'competing phases' }]),
  ]
  const all = [interval.low, interval.high, ...lines.map((line) => line.value)]
  return {
    kind: 'scatter',
    title: 'Predicted formation energy with its interval',
    x: { name: 'prediction', unit: null, min: 0, max: 2 },
    y: { name: 'formation energy', unit: 'eV/atom', min: Math.min(...all), max: Math.max(...all) },
    series: [
      { name: 'prediction', points: [[1, value]] },
      {
        name: 'interval',
        points: [
          [1, interval.low],
          [1, interval.high],
        ],
      },
    ],
    reference_lines: lines,
  }
}
