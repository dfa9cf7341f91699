// One decision over HTTP: every gate, Cedar, lambda, a signature, durable on SQLite, then answered. No two texts are
// the same, so that nothing can be answered from memory.
import { httpLoad } from '../http-load.ts'
import { SERIAL } from '../load.ts'
import { EXAMPLE } from '../references/shapes.ts'
import type { Scenario } from '../scenario.ts'

const BODY = { text: `${EXAMPLE.text}, edition ${SERIAL}` }

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
      body: BODY,
      distinct: true,
    }),
}
