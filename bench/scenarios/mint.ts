// One receipt over HTTP: validated, placed, hashed in two families, signed, durable on SQLite, then answered.
import { httpLoad } from '../http-load.ts'
import { EXAMPLE } from '../references/shapes.ts'
import type { Scenario } from '../scenario.ts'

export const mint: Scenario = {
  name: 'mint',
  unit: 'receipts/s',
  ratioTo: 'sign-limit',
  bar: 0.45,
  goal: 0.85,
  prepare: () =>
    httpLoad({ target: './targets/service.ts', env: { BENCH_PATH: '/api/orch/khipu/sign' }, body: EXAMPLE }),
}
