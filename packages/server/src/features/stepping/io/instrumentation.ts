/** Counts of what governed stepping decided, recorded and delivered. */
import { instrument } from '../../../platform/instrument.ts'
import type { Clock, Recorder } from '../../../ports.ts'
import type { Stepping } from '../contract.ts'
import type { SteppingSeries } from './stepping-metrics.ts'

type Reply = Awaited<ReturnType<Recorder['record']>>

const isReplay = ({ headers }: Reply): boolean => headers['idempotent-replay'] === 'true'

/** Only what was recorded or rehearsed counts as decided; an answer that is given again was counted the first time. */
export const observeStepping = (
  stepping: Stepping,
  series: SteppingSeries,
  clock: Pick<Clock, 'monotonic'>,
): Stepping => ({
  ...stepping,
  async step(...asked) {
    const from = clock.monotonic()
    const answer = await stepping.step(...asked)
    const recorded = isReply(answer)
    if (recorded && isReplay(answer)) return answer
    series.stepped((clock.monotonic() - from) / 1000)
    const { decision, dry_run, scheduler_mode } = (recorded ? answer.body : answer) as Record<string, unknown>
    series.decided(String(decision), dry_run === true, String(scheduler_mode))
    return answer
  },
})

/** A rehearsal is answered with the plain object. */
const isReply = (answer: object): answer is Reply => 'status' in answer && 'headers' in answer && 'body' in answer

export const observeSteppingRecorder = (recorder: Recorder, series: SteppingSeries): Recorder =>
  instrument(recorder, {
    async record(...asked) {
      const reply = await recorder.record(...asked)
      if (isReplay(reply)) series.replayed()
      else series.recorded()
      return reply
    },
  })
