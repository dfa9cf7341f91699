/** What several replies are made of. */
import Type from 'typebox'
import { Plot } from '../../domain/plot.ts'
import { closed, Hex64, Nullable, ReceiptSummary, words } from '../../domain/wire.ts'

export const Num = Type.Number()
export const Flag = Type.Boolean()
export const Word = Type.String()
export const Maybe = Nullable(Num)
export const Range = closed({ low: Num, high: Num })
export const Pair = Type.Array(Num, { minItems: 2, maxItems: 2 })

export const calculated = {
  label: words(['MODELED', 'SAMPLE']),
  basis: Type.String({ description: 'what was computed, and from what' }),
}
export const recorded = {
  ...calculated,
  input_source: words(['CALLER', 'DEFAULT_EXAMPLE']),
  input_sha256: Hex64,
  output_sha256: Type.String({ ...Hex64, description: 'over the result alone' }),
  plot: Nullable(Plot),
  receipt: ReceiptSummary,
}
export const Timing = Nullable(closed({ wall_ms: Num, cpu_ms: Num, queue_ms: Num }))
