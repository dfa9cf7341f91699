// One decision over HTTP: every gate, Cedar, lambda, a signature, durable on SQLite, then answered.
import { httpLoad } from '../http-load.ts'
import { EXAMPLE } from '../references/shapes.ts'
import type { Scenario } from '../scenario.ts'

export const governedDecision: Scenario = {
  name: 'governed-decision',
  unit: 'decisions/s',
  ratioTo: 'sign-limit',
  bar: 0.4,
  goal: 0.8,
  prepare: () =>
    httpLoad({
      target: './targets/service.ts',
      env: { BENCH_PATH: '/api/orch/v1/wow/govern' },
      body: { text: EXAMPLE.text },
    }),
}
