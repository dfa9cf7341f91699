import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movedClock } from '#testing/stepping-effects.ts'
import { type Call, Reply } from '../../../operation.ts'
import type { StepAsked, Stepping } from '../contract.ts'
import { observeStepping, steppingSeries } from './stepping-metrics.ts'

test('an answer given again takes no time to decide: as many durations as decisions', async () => {
  const decided = { decision: 'allow', dry_run: false, scheduler_mode: 'kda_local' }
  const answers = [
    new Reply(decided),
    new Reply(decided, { headers: { 'idempotent-replay': 'true' } }),
    { ...decided, dry_run: true },
  ]
  const series = steppingSeries({ kinds: [], routes: ['kda_local'] })
  const stepping = { step: async () => answers.shift()! } as unknown as Stepping
  const observed = observeStepping(stepping, series, movedClock())
  for (let n = 0; n < 3; n += 1) await observed.step({} as Call, {} as StepAsked)
  const gauges = { effects: null, oldestPendingSeconds: null, sessions: null, reviewsPending: null, writeReady: false }
  const text = await series.text([], gauges)
  assert.match(text, /^gdw_step_duration_seconds_count 2$/m)
  assert.match(text, /^gdw_decisions_total\{decision="allow",dry_run="false"\} 1$/m)
})
