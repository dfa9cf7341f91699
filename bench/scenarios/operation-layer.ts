// One validated POST through the operation layer: what our own routing, limits and headers add to a bare Fastify.
import { httpLoad } from '../http-load.ts'
import { EXAMPLE } from '../references/shapes.ts'
import type { Scenario } from '../scenario.ts'

export const operationLayer: Scenario = {
  name: 'operation-layer',
  unit: 'requests/s',
  ratioTo: 'echo',
  bar: 0.7,
  prepare: () => httpLoad({ target: './targets/operation-layer.ts', body: EXAMPLE }),
}
