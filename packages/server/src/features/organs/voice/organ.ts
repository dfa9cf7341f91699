/** N20 Voice: which stage breaks the answer budget of a spoken agent, what a barge-in costs, and where speech is in a
 *  recording. */
import { base64Decode } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Count, closed, Nullable, words } from '../../../domain/wire.ts'
import type { Compute } from '../../../platform/compute/compute.ts'
import { type Organ, op, type RequestFault } from '../organ.ts'
import { type Call, STAGES, STATES, simulateCall } from './call.ts'
import { voicePrompt } from './prompt.ts'
import { detectVoice } from './vad.ts'

const VERSION = '1.1.0'
const MAX_INLINE = 200_000
const DEADLINE_MS = 5000
const MAX_AUDIO = 49_152
/** A stage that varies more has no mean to speak of. */
const MAX_RATIO = 1e6

const Milliseconds = Type.Number({ minimum: 0, maximum: 60_000 })
const spread = (p50: number, p95: number) => ({ p50, p95 })
const SAMPLE_STAGES = { vad: spread(200, 260), asr: spread(150, 300), llm: spread(300, 900), tts: spread(100, 200) }
const SAMPLE_NET = { rtt_ms: 80, jitter_ms: 5, loss: 0.01 }
export type Spread = Static<typeof Spread>
const Spread = closed({ p50: Milliseconds, p95: Milliseconds })
export type Turn = Static<typeof Turn>
const Turn = closed({
  speaker: words(['user', 'agent']),
  start_ms: Type.Number({ minimum: 0, maximum: 7_200_000, description: 'of an agent turn: not before' }),
  dur_ms: Type.Number({ minimum: 1, maximum: 1_800_000 }),
})
const CallRequest = closed({
  turns: Type.Union([
    Type.Array(Turn, { minItems: 1, maxItems: 64 }),
    closed({ n: Type.Integer({ minimum: 1, maximum: 64, description: 'turns drawn from the seed' }) }),
  ]),
  stages: Type.Optional({ ...closed({ vad: Spread, asr: Spread, llm: Spread, tts: Spread }), default: SAMPLE_STAGES }),
  net: Type.Optional({
    ...closed({
      rtt_ms: Type.Number({ minimum: 0, maximum: 10_000 }),
      jitter_ms: Type.Number({ minimum: 0, maximum: 1000, description: 'mean delay of a frame beyond the fastest' }),
      loss: Type.Number({ minimum: 0, maximum: 0.5 }),
    }),
    default: SAMPLE_NET,
  }),
  barge_in: Type.Optional(Type.Boolean({ default: true, description: 'the agent listens while it speaks' })),
  budget_ms: Type.Optional(Type.Number({ minimum: 1, maximum: 60_000, default: 800 })),
})
const VadRequest = closed({
  audio_b64: Type.String({
    minLength: 4,
    maxLength: MAX_AUDIO,
    description: 'PCM, 16 bits little-endian, one channel, 16 kHz, without a header',
  }),
})

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Called = closed({
  response_gap: closed({
    ...{ p50: Type.Number(), p95: Type.Number(), mean: Type.Number({ description: 'in closed form' }), samples: Count },
    ...{ p95_low: Type.Number(), p95_high: Type.Number({ description: '95% interval of what the draws leave open' }) },
  }),
  stage_share: closed({ vad: Share, asr: Share, llm: Share, tts: Share, net: Share }),
  worst_stage: words([...STAGES, 'net']),
  within_budget: Nullable(
    Type.Boolean({ description: 'the 95th percentile of the gap is; null where its interval holds the budget' }),
  ),
  share_within_budget: Share,
  budget_ms: Type.Number(),
  barge_ins: Count,
  barge_in_stop_ms: Nullable(Type.Number({ description: 'the longest; null where nobody interrupted' })),
  overlap_ms: Type.Number(),
  unheard_turns: Count,
  dropped_replies: { ...Count, description: 'not begun when the user went on' },
  jitter_buffer_ms: Type.Number(),
  ...{ frames: Count, dropped_frames: Count, lost_frames: Count, late_frames: Count },
  timeline: Type.Array(closed({ at_ms: Type.Number(), state: words(STATES), turn: Nullable(Count) })),
  truncated_from: Type.Optional(Count),
})
const Detected = closed({
  segments: Type.Array(closed({ start_ms: Type.Number(), end_ms: Type.Number() })),
  speech_ratio: Share,
  duration_ms: Type.Number(),
  ...{ noise_floor_dbfs: Type.Number(), threshold_dbfs: Type.Number(), peak_dbfs: Type.Number() },
  clipped_samples: Count,
})

const SAMPLE = {
  code: 'SAMPLE_STAGES',
  detail: 'stages and network are the sample of this organ, not yours: state them to hear about your agent',
}
const UNDECIDED = {
  code: 'BUDGET_UNDECIDED',
  detail: 'the budget lies within the interval of the 95th percentile: the draws do not tell on which side',
}
const LEVEL_ONLY = {
  code: 'LEVEL_ONLY',
  detail:
    'by level alone: a loud noise that comes and goes is taken for speech, and speech as quiet as the noise is not',
}
const NO_PAUSE = {
  code: 'NO_PAUSE',
  detail:
    'even the quietest tenth is loud: without a pause there is no noise floor to measure against, and speech that never stops is missed',
}

export function voice({ compute }: { compute: Compute }): Organ {
  const job = compute.register<Call, ReturnType<typeof simulateCall>>({
    ...{ name: 'organ-voice', module: new URL('./call.ts', import.meta.url) },
    ...{ function: 'simulateCall', deadlineMs: DEADLINE_MS - 500 },
  })
  return {
    id: 'N20',
    version: VERSION,
    ops: {
      call: op({
        summary: 'The gap before each reply by stage, barge-ins, overlap and dropped frames of a call',
        request: CallRequest,
        result: Called,
        isolation: `worker above ${MAX_INLINE} units, else inline`,
        deadlineMs: DEADLINE_MS,
        maxWork: 2_000_000,
        usesSeed: true,
        estimate: workOf,
        check: callFaults,
        async run(request, context) {
          const { turns, stages, net, barge_in = true, budget_ms = 800 } = request
          const call: Call = {
            ...{ turns, stages: stages!, net: net!, bargeIn: barge_in, budgetMs: budget_ms },
            stream: { organ: 'N20', version: VERSION, op: 'call', seed: context.seed },
          }
          const result = workOf(request) > MAX_INLINE ? await context.job(job, call) : simulateCall(call)
          const isSample = JSON.stringify([stages, net]) === JSON.stringify([SAMPLE_STAGES, SAMPLE_NET])
          return {
            result,
            limits: [...(isSample ? [SAMPLE] : []), ...(result.within_budget === null ? [UNDECIDED] : [])],
          }
        },
      }),
      vad: op({
        summary: 'Where there is speech in a recording, by its level',
        request: VadRequest,
        result: Detected,
        isolation: 'inline',
        deadlineMs: DEADLINE_MS,
        maxWork: MAX_AUDIO,
        estimate: ({ audio_b64 }) => audio_b64.length,
        check({ audio_b64 }) {
          const pcm = base64Decode(audio_b64)
          if (pcm === null) return [{ place: ['audio_b64'], message: 'is not base64, or not padded' }]
          return pcm.length % 2 === 0
            ? []
            : [{ place: ['audio_b64'], message: 'has an odd number of bytes; a sample has two' }]
        },
        run({ audio_b64 }) {
          const { hasNoPause, ...result } = detectVoice(base64Decode(audio_b64)!)
          return { result, limits: [LEVEL_ONLY, ...(hasNoPause ? [NO_PAUSE] : [])] }
        },
      }),
    },
    fromPrompt: voicePrompt,
    example: {
      request: {
        op: 'call',
        turns: [
          { speaker: 'user', start_ms: 0, dur_ms: 1800 },
          { speaker: 'agent', start_ms: 1800, dur_ms: 4000 },
          { speaker: 'user', start_ms: 5000, dur_ms: 1500 },
          { speaker: 'agent', start_ms: 6500, dur_ms: 2500 },
        ],
      },
      prompt: 'vad 200 asr 150 llm 300 tts 100 rtt 80',
    },
    evidence: {
      assumptions: [
        'gap = vad + asr + llm + tts + rtt + two jitter buffers, one at either end; stages are independent lognormals by their median and 95th percentile, constant where these are equal; percentiles from 10 replicates of 2,000 stratified draws, the mean and the shares in closed form',
        'a barge-in stops the agent after vad + rtt + one jitter buffer: the voice travels there, is noticed, and the order to stop travels back',
        'frames of 20 ms are lost independently; their delay beyond the fastest is exponential, and the buffer is its 95th percentile, 2.9957 times the mean, so that one in twenty that arrive comes too late',
        'without barge-in the agent does not listen from the end of a turn until its reply is over',
        'vad: frames of 20 ms, each around its own mean, 9 dB over the quietest tenth, which counts as -70 dBFS at least; 100 ms of sound in all; pauses under 200 ms are bridged',
      ],
      not_real: ['no speech was recognised, no model asked and nothing sent: stage times are those of the request'],
    },
  }
}

function workOf({ turns }: Static<typeof CallRequest>): number {
  if ('n' in turns) return turns.n * turns.n * 400
  return turns.length * (turns as readonly Turn[]).reduce((sum, { dur_ms }) => sum + Math.ceil(dur_ms / 20), 0)
}

function callFaults({ turns, stages }: Static<typeof CallRequest>): RequestFault[] {
  const faults: RequestFault[] = []
  for (const stage of STAGES) {
    const { p50, p95 } = stages![stage]
    if (p95 < p50) faults.push({ place: ['stages', stage, 'p95'], message: 'must not be below p50' })
    else if (p50 === 0 && p95 > 0)
      faults.push({ place: ['stages', stage, 'p50'], message: 'must be above 0 where p95 is: a lognormal is' })
    else if (p95 > MAX_RATIO * p50)
      faults.push({ place: ['stages', stage, 'p95'], message: `must be at most ${MAX_RATIO} times p50` })
  }
  if ('n' in turns) return faults
  const list = turns as readonly Turn[]
  for (const speaker of ['user', 'agent']) {
    const own = [...list.entries()]
      .filter(([, one]) => one.speaker === speaker)
      .sort(([, a], [, b]) => a.start_ms - b.start_ms)
    for (const [n, [at, one]] of own.entries()) {
      const before = own[n - 1]?.[1]
      if (before !== undefined && before.start_ms + before.dur_ms > one.start_ms)
        faults.push({ place: ['turns', at, 'start_ms'], message: `the ${speaker} speaks already` })
    }
  }
  return faults
}
