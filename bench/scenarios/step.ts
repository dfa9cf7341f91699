// One governed step over HTTP: all gates, five experts, Cedar, the session's budget and history, a signature, then state,
// effects and answer durable on SQLite in one commit. Sessions of eight steps, so that most steps have a history; many
// sessions at a time, for nobody sends the steps of one session at once.
import { httpLoad } from '../http-load.ts'
import type { Scenario } from '../scenario.ts'
import { SERIAL, SESSION } from '../serial.ts'

const BODY = { session_id: `bench ${SESSION}`, request: `summarise the quarterly report, edition ${SERIAL}` }
// A bench records more in a minute than the shipped quotas leave room for.
const ROOM = 'sessions=100000000/100000000,steps=100000000/100000000,effects=100000000/100000000'

export const step: Scenario = {
  name: 'step',
  unit: 'steps/s',
  ratioTo: 'sign-limit',
  prepare: () =>
    httpLoad({
      target: './targets/service.ts',
      env: { BENCH_PATH: '/api/orch/v1/gdw/step', BENCH_GDW_QUOTAS: `${ROOM},bytes=1000000000000/1000000000000` },
      body: BODY,
    }),
}
