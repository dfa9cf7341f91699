/** What a picture of a result needs: axes with units and bounds, the points, and the lines to read them against. Nothing in
 *  it is called `label`: that word is kept for what a value is worth. */
import Type, { type Static } from 'typebox'
import { closed, Nullable, named, Text, words } from './wire.ts'

const Axis = closed({
  name: Type.String(),
  unit: Text,
  min: Nullable(Type.Number()),
  max: Nullable(Type.Number()),
})

export const Plot = named('Plot', {
  kind: words(['line', 'bar', 'scatter', 'step', 'graph']),
  title: Type.String(),
  x: Axis,
  y: Axis,
  series: Type.Array(
    closed({
      name: Type.String(),
      points: Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
    }),
  ),
  reference_lines: Type.Array(closed({ axis: words(['x', 'y']), value: Type.Number(), name: Type.String() })),
})
export type Plot = Static<typeof Plot>
