import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { docQuestion } from '#testing/organs/doc-question.ts'
import { testCompute } from '#testing/organs/live-gates.ts'
import { tryOrgan } from '#testing/organs/try-organ.ts'
import { InputError } from '../../../errors.ts'
import { randomStream } from '../random.ts'
import { voice } from './organ.ts'

const organ = voice({ compute: testCompute(after) })
const ask = async (body: Record<string, unknown>) => (await tryOrgan(organ, body)).answer
const fault = (body: Record<string, unknown>) =>
  tryOrgan(organ, body).then(
    () => assert.fail('the request was taken'),
    (error) => {
      assert.ok(error instanceof InputError, String(error))
      return error.detail[0]!.loc.slice(1).join('.')
    },
  )
const fixed = (ms: number) => ({ p50: ms, p95: ms })
const stages = { vad: fixed(200), asr: fixed(150), llm: fixed(300), tts: fixed(100) }
const net = { rtt_ms: 80, jitter_ms: 0, loss: 0 }
const user = (start_ms: number, dur_ms: number) => ({ speaker: 'user', start_ms, dur_ms })
const agent = (start_ms: number, dur_ms: number) => ({ speaker: 'agent', start_ms, dur_ms })
const call = async (turns: unknown, more: object = {}) => (await ask({ turns, stages, net, ...more })).result
const states = (result: { timeline: { at_ms: number; state: string }[] }) =>
  result.timeline.map(({ at_ms, state }) => [at_ms, state])

test('the gap is the sum of the stages and the way there and back', async () => {
  const result = await call([user(0, 2000), agent(2000, 3000)])
  const exactly = { p50: 830, p95: 830, p95_low: 830, p95_high: 830, mean: 830, samples: 2000 }
  assert.deepEqual(result.response_gap, exactly)
  assert.deepEqual([result.within_budget, result.share_within_budget, result.worst_stage], [false, 0, 'llm'])
  assert.deepEqual(states(result), [
    [0, 'listening'],
    [2000, 'thinking'],
    [2830, 'speaking'],
    [5830, 'listening'],
  ])
  assert.equal(result.dropped_frames, 0)
  assert.equal((await call([user(0, 2000), agent(2000, 3000)], { budget_ms: 830 })).within_budget, true)
  assert.equal((await call([user(0, 1)], { net: { ...net, rtt_ms: 900 } })).worst_stage, 'net')
})

test('a barge-in stops the agent after vad and the round trip, and its turn is answered', async () => {
  const turns = [user(0, 2000), agent(2000, 4000), user(5000, 1500), agent(6500, 2000)]
  const result = await call(turns)
  assert.deepEqual(states(result), [
    [0, 'listening'],
    [2000, 'thinking'],
    [2830, 'speaking'],
    [5280, 'interrupted'],
    [6500, 'thinking'],
    [7330, 'speaking'],
    [9330, 'listening'],
  ])
  assert.deepEqual(
    [result.barge_ins, result.barge_in_stop_ms, result.overlap_ms, result.unheard_turns],
    [1, 280, 280, 0],
  )
  // An agent that does not listen while it speaks talks on; what the user said meanwhile is lost.
  const deaf = await call(turns, { barge_in: false })
  assert.deepEqual([deaf.barge_ins, deaf.barge_in_stop_ms, deaf.overlap_ms, deaf.unheard_turns], [0, null, 1500, 1])
  assert.deepEqual(states(deaf).at(-1), [6830, 'listening'])
  // Whoever goes on before the reply has begun is not talked over: the reply is dropped.
  const resumed = await call([user(0, 2000), agent(2000, 1000), user(2200, 1000), agent(3200, 1000)])
  assert.deepEqual([resumed.overlap_ms, resumed.barge_ins, resumed.dropped_replies], [0, 0, 1])
  assert.equal(resumed.barge_in_stop_ms, null)
  assert.deepEqual(states(resumed), [
    [0, 'listening'],
    [2000, 'thinking'],
    [2480, 'listening'],
    [3200, 'thinking'],
    [4030, 'speaking'],
    [5030, 'listening'],
  ])
})

test('a jitter buffer at the 95th percentile costs its length twice and drops one late frame in twenty', async () => {
  const turns = [user(0, 400_000), agent(400_000, 400_000)]
  const result = await call(turns, { net: { rtt_ms: 80, jitter_ms: 10, loss: 0.1 } })
  const buffer = 10 * Math.log(20)
  assert.ok(Math.abs(result.jitter_buffer_ms - buffer) < 1e-6)
  assert.ok(Math.abs(result.response_gap.p50 - (830 + 2 * buffer)) < 1e-5)
  const n = result.frames
  assert.equal(n, 40_000)
  for (const [found, share] of [
    [result.lost_frames, 0.1],
    [result.late_frames, 0.9 * 0.05],
  ] as const)
    assert.ok(Math.abs(found - n * share) < 4 * Math.sqrt(n * share * (1 - share)), `${found}`)
  assert.equal(result.dropped_frames, result.lost_frames + result.late_frames)
})

test('lognormal stages have the median and the mean that their percentiles say', async () => {
  const spreads = { vad: fixed(0), asr: fixed(0), tts: fixed(0), llm: { p50: 300, p95: 900 } }
  const { response_gap: gap, share_within_budget: share } = await call([user(0, 1000)], {
    stages: spreads,
    net: { ...net, rtt_ms: 0 },
    budget_ms: 900,
  })
  const sigma = Math.log(3) / 1.6448536269514722
  const mean = 300 * Math.exp(sigma ** 2 / 2)
  const deviation = mean * Math.sqrt(Math.exp(sigma ** 2) - 1)
  assert.ok(Math.abs(gap.mean - mean) < (4 * deviation) / Math.sqrt(2000), `${gap.mean} ${mean}`)
  assert.ok(Math.abs(Math.log(gap.p50 / 300)) < (4 * 1.2533 * sigma) / Math.sqrt(2000), `${gap.p50}`)
  assert.ok(Math.abs(share - 0.95) < 4 * Math.sqrt((0.95 * 0.05) / 2000), `${share}`)
})

test('the 95th percentile of one stage is the one stated, for every seed, and no answer is given inside its interval', async () => {
  const alone = { vad: fixed(0), asr: fixed(0), tts: fixed(0), llm: { p50: 100, p95: 200 } }
  const silent = { rtt_ms: 0, jitter_ms: 0, loss: 0 }
  for (const seed of [1, 2, 3, 42, 43]) {
    const at = (budget_ms: number) => ask({ turns: [user(0, 1000)], stages: alone, net: silent, budget_ms, seed })
    const { p95, p95_low, p95_high, mean } = (await at(195)).result.response_gap
    assert.ok(
      Math.abs(p95 - 200) < 0.2 && p95_low < p95 && p95 < p95_high && p95_high - p95_low < 0.5,
      `${seed} ${p95}`,
    )
    assert.ok(Math.abs(mean - 100 * Math.exp((Math.log(2) / 1.6448536269514722) ** 2 / 2)) < 1e-6)
    const answers = await Promise.all([195, p95, 205].map(at))
    assert.deepEqual(
      answers.map(({ result }) => result.within_budget),
      [false, null, true],
    )
    assert.deepEqual(
      answers[1]!.limits.map(({ code }: { code: string }) => code),
      ['BUDGET_UNDECIDED'],
    )
  }
})

test('the interval of the 95th percentile of four stages holds what far more draws come to', async () => {
  const four = {
    vad: { p50: 200, p95: 260 },
    asr: { p50: 150, p95: 300 },
    llm: { p50: 300, p95: 900 },
    tts: { p50: 100, p95: 200 },
  }
  const random = randomStream({ organ: 'test', version: '1', op: 'gap', seed: 1 })
  const gaps = Array.from({ length: 400_000 }, () =>
    Object.values(four).reduce(
      (sum, { p50, p95 }) => sum + p50 * Math.exp((Math.log(p95 / p50) / 1.6448536269514722) * random.normal()),
      0,
    ),
  ).sort((a, b) => a - b)
  const truth = gaps[380_000]!
  const seeds = Array.from({ length: 20 }, (_, seed) => seed)
  const passed = await Promise.all(
    seeds.map(async (seed) => {
      const { response_gap } = (
        await ask({ turns: [user(0, 1000)], stages: four, net: { rtt_ms: 0, jitter_ms: 0, loss: 0 }, seed })
      ).result
      return response_gap.p95_low <= truth && truth <= response_gap.p95_high
    }),
  )
  // 95 of 100 should; of 20 fewer than 15 come once in 40,000 times.
  assert.ok(passed.filter(Boolean).length >= 15, `${passed.filter(Boolean).length} of 20`)
})

const someTurns = fc
  .array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 4000 })), {
    minLength: 1,
    maxLength: 20,
  })
  .map((list) => {
    const free = { user: 0, agent: 0 }
    let at = 0
    return list.map(([isUser, wait, dur_ms]) => {
      const speaker = isUser ? ('user' as const) : ('agent' as const)
      const start_ms = Math.max(at + wait - 1500, free[speaker], 0)
      free[speaker] = start_ms + dur_ms
      at = start_ms + dur_ms
      return { speaker, start_ms, dur_ms }
    })
  })

test('the agent does one thing at a time, is silent once it has noticed the user, and answers no sooner than the gap', async () => {
  await fc.assert(
    fc.asyncProperty(someTurns, fc.boolean(), async (turns, barge_in) => {
      const { timeline, barge_in_stop_ms: stop, overlap_ms, dropped_frames } = await call(turns, { barge_in })
      assert.equal(dropped_frames, 0)
      assert.ok(overlap_ms >= 0)
      for (const [at, one] of timeline.entries()) if (at > 0) assert.ok(one.at_ms > timeline[at - 1].at_ms)
      const intervals = timeline.map((one: { at_ms: number; state: string }, at: number) => ({
        ...one,
        until: timeline[at + 1]?.at_ms ?? Infinity,
      }))
      for (const { state, until, at_ms } of intervals)
        if (barge_in && state === 'speaking')
          for (const { speaker, start_ms, dur_ms } of turns) {
            if (speaker !== 'user') continue
            // From the moment it has noticed the user until that turn is answered it does not speak.
            const noticed = start_ms + 280
            assert.ok(
              until <= noticed + 1e-6 || at_ms >= Math.min(noticed, start_ms + dur_ms) - 1e-6,
              `${at_ms} ${until} ${start_ms}`,
            )
          }
      if (stop !== null) assert.equal(stop, 280)
    }),
    { seed: 20, numRuns: 400 },
  )
})

/** Milliseconds of sound, one number for each sample. */
const pcm = (...parts: [ms: number, sound: (at: number) => number][]): string => {
  const samples = parts.flatMap(([ms, sound]) => Array.from({ length: ms * 16 }, (_, at) => sound(at)))
  return Buffer.from(
    Int16Array.from(samples, (value) => Math.max(-32_768, Math.min(32_767, Math.round(value)))).buffer,
  ).toString('base64')
}
const tone = (hz: number, peak: number) => (at: number) => peak * Math.sin((2 * Math.PI * hz * at) / 16_000)
const silence = () => 0
const random = randomStream({ organ: 'N20', version: 'test', op: 'vad', seed: 1 })
const noise = (peak: number) => () => peak * random.normal()
const vad = async (audio_b64: string) => ask({ op: 'vad', audio_b64 })
const segments = async (audio: string) =>
  (await vad(audio)).result.segments.map(({ start_ms, end_ms }: { start_ms: number; end_ms: number }) => [
    start_ms,
    end_ms,
  ])

test('a tone between silences is one segment where it is', async () => {
  const { result } = await vad(pcm([300, silence], [500, tone(440, 8000)], [300, silence]))
  assert.deepEqual(result.segments, [{ start_ms: 300, end_ms: 800 }])
  assert.ok(Math.abs(result.speech_ratio - 500 / 1100) < 1e-6)
  // Off the grid of the frames it is found to within one.
  const [[start, end]] = await segments(pcm([313, silence], [477, tone(200, 8000)], [310, silence]))
  assert.ok(Math.abs(start - 313) <= 20 && Math.abs(end - 790) <= 20, `${start} ${end}`)
})

test('speech is told from noise, an offset, a click and padding', async () => {
  assert.deepEqual(await segments(pcm([300, noise(60)], [400, tone(150, 6000)], [300, noise(60)])), [[300, 700]])
  assert.deepEqual(await segments(pcm([1000, noise(300)])), [])
  assert.deepEqual(
    await segments(pcm([300, () => 9000], [400, (at) => 9000 + tone(440, 3000)(at)], [300, () => 9000])),
    [[300, 700]],
  )
  assert.deepEqual(
    await segments(
      pcm([400, silence], [40, tone(1000, 20_000)], [150, silence], [20, tone(1000, 20_000)], [400, silence]),
    ),
    [],
  )
  assert.deepEqual(await segments(pcm([200, silence], [800, noise(3)])), [])
  assert.deepEqual(await segments(pcm([1000, silence])), [])
})

test('a pause under the hang-over is bridged, a longer one parts, and the hang-over is not part of the speech', async () => {
  const two = (pause: number) =>
    pcm([200, silence], [200, tone(300, 8000)], [pause, silence], [200, tone(300, 8000)], [200, silence])
  assert.deepEqual(await segments(two(180)), [[200, 780]])
  assert.deepEqual(await segments(two(200)), [
    [200, 400],
    [600, 800],
  ])
  assert.deepEqual(await segments(pcm([200, silence], [80, tone(300, 8000)], [300, silence])), [])
  assert.deepEqual(await segments(pcm([200, silence], [100, tone(300, 8000)], [300, silence])), [[200, 300]])
})

test('speech that never pauses cannot be told by level, and the answer says so', async () => {
  const answer = await vad(pcm([1000, tone(300, 8000)]))
  assert.deepEqual(answer.result.segments, [])
  assert.ok(answer.limits.some(({ code }: { code: string }) => code === 'NO_PAUSE'))
})

test('where it begins and ends does not depend on the loudness', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 400, max: 32_000 }),
      fc.integer({ min: 80, max: 4000 }),
      fc.integer({ min: 5, max: 20 }),
      async (peak, hz, frames) => {
        assert.deepEqual(await segments(pcm([200, silence], [frames * 20, tone(hz, peak)], [200, silence])), [
          [200, 200 + frames * 20],
        ])
      },
    ),
    { seed: 20, numRuns: 50 },
  )
})

test('a prompt of five times is a call with fixed stages; other text is spoken', async () => {
  const asked = await ask({ prompt: 'vad 200 asr 150 llm 300 tts 100 rtt 80' })
  const written = await ask({ op: 'call', turns: [user(0, 2000), agent(2000, 3000)], stages, net })
  assert.deepEqual([asked.input_sha256, asked.result_sha256], [written.input_sha256, written.result_sha256])
  assert.equal(asked.result.response_gap.p50, 830)
  const spoken = await ask({ prompt: 'one two three four five' })
  assert.deepEqual(spoken.result.timeline, [
    { at_ms: 0, state: 'speaking', turn: 0 },
    { at_ms: 2000, state: 'listening', turn: null },
  ])
  assert.deepEqual(
    spoken.limits.map(({ code }: { code: string }) => code),
    ['SAMPLE_STAGES'],
  )
  assert.equal((await ask({ prompt: 'x '.repeat(4096).trim() })).status, 'EXECUTED')
  assert.equal((await ask({ prompt: 'your order 4711 ships today' })).status, 'EXECUTED')
})

test('numbers of a prompt are read with their units or asked about, never replaced by the sample', async () => {
  const plain = await ask({ prompt: 'vad 200 asr 150 llm 300 tts 100 rtt 80' })
  for (const prompt of [
    'vad 200ms asr 150 llm 300 tts 100 rtt 80',
    'VAD: 0.2 s, ASR=150ms, LLM 0.3s; TTS 100 ms, RTT 80 ms.',
    'rtt 80 tts 100 llm 300 asr 150 vad 200',
  ])
    assert.equal((await ask({ prompt })).input_sha256, plain.input_sha256, prompt)
  const lossy = await ask({ prompt: 'vad 200 asr 150 llm 300 tts 100 rtt 80 loss 5% jitter 2 budget 900 ms' })
  const net2 = { rtt_ms: 80, jitter_ms: 2, loss: 0.05 }
  const written = await ask({ turns: [user(0, 2000), agent(2000, 3000)], stages, net: net2, budget_ms: 900 })
  assert.equal(lossy.input_sha256, written.input_sha256)
  for (const [prompt, fields] of [
    ['vad 200 asr 150 llm 300 tts 100', ['net.rtt_ms']],
    ['vad 200 asr 150 llm 300 tts 100 rtt 80 rtt 90', ['net.rtt_ms']],
    ['vad 200% asr 150 llm 300 tts 100 rtt 80', ['stages.vad']],
    ['vad -200 asr 150 llm 300 tts 100 rtt 80', ['stages.vad', 'prompt']],
    ['vad 200 asr 150 llm 300 tts 100 rtt 80 and 20 more', ['prompt']],
    ['vad 200 asr 150 llm 300 tts 100 rtt 80 min', ['prompt']],
    ['budget 800 ms', ['stages.vad', 'stages.asr', 'stages.llm', 'stages.tts', 'net.rtt_ms']],
    ['the llm takes 300 ms', ['stages.vad', 'stages.asr', 'stages.llm', 'stages.tts', 'net.rtt_ms', 'prompt']],
  ] as const) {
    const { status, result } = await ask({ prompt })
    assert.equal(status, 'NEEDS_INPUT', prompt)
    assert.deepEqual(
      result.missing.map(({ field }: { field: string }) => field),
      fields,
      prompt,
    )
  }
})

test('what is out of bounds is refused at its place', async () => {
  const one = [user(0, 100)]
  const bad = (more: object) => fault({ turns: one, stages, net, ...more })
  assert.equal(await bad({ stages: { ...stages, llm: { p50: 300, p95: 299 } } }), 'stages.llm.p95')
  assert.equal(await bad({ stages: { ...stages, llm: { p50: 0, p95: 10 } } }), 'stages.llm.p50')
  assert.equal(await bad({ stages: { ...stages, llm: { p50: 1e-300, p95: 60_000 } } }), 'stages.llm.p95')
  assert.equal(await bad({ turns: [user(0, 100), user(99, 10)] }), 'turns.1.start_ms')
  assert.equal(await bad({ net: { ...net, loss: 0.51 } }), 'net.loss')
  assert.equal(await bad({ budget_ms: 0 }), 'budget_ms')
  assert.equal((await call([user(0, 100), user(100, 10)], { net: { ...net, loss: 0.5 } })).barge_ins, 0)
  const many = (count: number) => Array.from({ length: count }, (_, at) => user(at * 100, 100))
  assert.equal((await ask({ turns: many(64) })).status, 'EXECUTED')
  assert.match(await fault({ turns: many(65) }), /^turns/)
  for (const [n, isTaken] of [
    [0, false],
    [1, true],
    [64, true],
    [65, false],
  ] as const)
    if (isTaken) assert.equal((await ask({ turns: { n } })).status, 'EXECUTED')
    else assert.match(await fault({ turns: { n } }), /^turns/)
  // Two turns of these lengths are 100,000 frames: 200,000 units run inline, one frame more in a worker, and the same way.
  for (const dur of [1_000_000, 1_000_020])
    assert.equal((await call([user(0, dur), user(dur, 1_000_000)])).frames, (dur + 1_000_000) / 20)
  const long = (turns: number) => Array.from({ length: turns }, (_, at) => user(at * 600_000, 600_000))
  assert.equal((await ask({ turns: long(8) })).status, 'EXECUTED')
  assert.equal(await fault({ turns: long(9) }), '')
  assert.equal(await fault({ op: 'vad', audio_b64: 'AAA=A' }), 'audio_b64')
  assert.equal(await fault({ op: 'vad', audio_b64: '!!!!' }), 'audio_b64')
  assert.equal(await fault({ op: 'vad', audio_b64: Buffer.alloc(3).toString('base64') }), 'audio_b64')
  assert.equal((await vad(Buffer.alloc(36_864).toString('base64'))).status, 'EXECUTED')
  assert.equal(await fault({ op: 'vad', audio_b64: Buffer.alloc(36_866).toString('base64') }), 'audio_b64')
  assert.equal((await vad(Buffer.alloc(2).toString('base64'))).status, 'EXECUTED')
})

test('the example is the golden one, another seed gives another, and the question of the documentation is answered', async () => {
  const [answer, other] = [await ask({}), await ask({ turns: { n: 10 }, seed: 43 })]
  assert.equal(answer.result_sha256, GOLDEN)
  assert.equal(answer.result.barge_ins, 1)
  assert.notEqual(other.result_sha256, (await ask({ turns: { n: 10 } })).result_sha256)
  const { request, shows } = docQuestion('n20')
  assert.partialDeepStrictEqual((await ask(request)).result, shows)
})

const GOLDEN = 'c5796bb7b3f3d7688683a53ca4d4b007e39b4dce9fa6848ce25eeeb05b43270a'
