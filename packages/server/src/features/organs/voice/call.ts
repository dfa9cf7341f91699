/** A call between a user and an agent, turn by turn, as the user hears it. */
import { inverseNormal, type Random, randomStream, type StreamName } from '../random.ts'
import type { Spread, Turn } from './organ.ts'

export const STAGES = ['vad', 'asr', 'llm', 'tts'] as const
export type Stage = (typeof STAGES)[number]
export const STATES = ['listening', 'thinking', 'speaking', 'interrupted'] as const

export interface Call {
  turns: readonly Turn[] | { n: number }
  stages: Readonly<Record<Stage, Spread>>
  net: { rtt_ms: number; jitter_ms: number; loss: number }
  bargeIn: boolean
  budgetMs: number
  stream: StreamName
}

interface Reply {
  turn: number
  /** Of the user turn that it answers; null for a greeting. */
  after: number | null
  from: number
  to: number
  /** By the user turn whose beginning stopped it. */
  stoppedBy: number | null
}

const isSpoken = ({ from, to }: Reply): boolean => to > from

const FRAME_MS = 20
const Z95 = 1.6448536269514722
/** An exponential is below this many means in 95 of 100 cases. */
const P95_OF_MEAN = -Math.log(0.05)
/** Replicates of so many draws each, every stage stratified: a single stage has its own percentiles, and what the
 *  replicates differ by says how exact the figures are. */
const [REPLICATES, DRAWS] = [10, 2000]
/** Student's t with 9 degrees of freedom: 95 of 100 such intervals hold what more draws would come to. */
const T_975 = 2.2621571627
const MAX_TIMELINE = 500
/** A sum of times is not exact to the last digit, which must neither make a frame nor break a budget. */
const ROUNDING = 1e-6
const [GAPS, FRAMES, TURNS, CALL] = [0, 1, 2, 3]

export function simulateCall(call: Call) {
  const { net, budgetMs } = call
  const buffer = P95_OF_MEAN * net.jitter_ms
  const turns = 'n' in call.turns ? drawTurns(call.turns.n, randomStream(call.stream, TURNS)) : [...call.turns]
  turns.sort((a, b) => a.start_ms - b.start_ms || (a.speaker === 'user' ? -1 : 1))
  const talk = runTurns(turns, call, buffer)
  const spoken = talk.replies.reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0)
  const heard = turns.reduce((sum, { speaker, dur_ms }) => (speaker === 'user' ? sum + dur_ms : sum), 0)
  const frames = sendFrames(framesOf(heard) + framesOf(spoken), call, buffer)
  const timeline = statesOf(turns, talk.replies, call.bargeIn)
  return {
    ...gapsOf(call, buffer),
    budget_ms: budgetMs,
    barge_ins: talk.stops.length,
    barge_in_stop_ms: talk.stops.length === 0 ? null : Math.max(...talk.stops),
    overlap_ms: talk.overlap,
    unheard_turns: talk.unheard,
    dropped_replies: talk.dropped,
    jitter_buffer_ms: buffer,
    ...frames,
    timeline: timeline.slice(0, MAX_TIMELINE),
    ...(timeline.length > MAX_TIMELINE ? { truncated_from: timeline.length } : {}),
  }
}

const isFixed = ({ p50, p95 }: Spread): boolean => p50 === p95
const sigmaOf = (spread: Spread): number => (isFixed(spread) ? 0 : Math.log(spread.p95 / spread.p50) / Z95)

/** A lognormal by its median and 95th percentile; a stage without spread takes its time. */
const stageAt = (spread: Spread, z: number): number => spread.p50 * Math.exp(sigmaOf(spread) * z)
const drawStage = (spread: Spread, random: Random): number =>
  isFixed(spread) ? spread.p50 : stageAt(spread, random.normal())

/** There and back, through a jitter buffer at either end. */
const netMs = (net: Call['net'], buffer: number): number => net.rtt_ms + 2 * buffer

const drawGap = ({ stages, net }: Call, buffer: number, random: Random): number =>
  STAGES.reduce((sum, stage) => sum + drawStage(stages[stage], random), netMs(net, buffer))

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** One number out of each of as many equal parts of the distribution, in random order. */
function stratified(spread: Spread, random: Random): Float64Array {
  const draws = new Float64Array(DRAWS).fill(spread.p50)
  if (isFixed(spread)) return draws
  for (let n = 0; n < DRAWS; n += 1) {
    const other = random.integer(0, n)
    draws[n] = draws[other]!
    draws[other] = stageAt(spread, inverseNormal((n + random.uniform()) / DRAWS))
  }
  return draws
}

function gapsOf({ stages, net, budgetMs, stream }: Call, buffer: number) {
  const random = randomStream(stream, GAPS)
  const base = netMs(net, buffer)
  const isWithin = (ms: number) => ms <= budgetMs + ROUNDING
  // What never varies is drawn once, and is then exact.
  const count = STAGES.every((stage) => isFixed(stages[stage])) ? 1 : REPLICATES
  const replicates = Array.from({ length: count }, () => {
    const parts = STAGES.map((stage) => stratified(stages[stage], random))
    const gaps = new Float64Array(DRAWS).map((_, n) => parts.reduce((sum, draws) => sum + draws[n]!, base)).sort()
    /** Between the last of those below and the first of those above. */
    const rank = (p: number) => (gaps[p * DRAWS - 1]! + gaps[p * DRAWS]!) / 2
    return { p50: rank(0.5), p95: rank(0.95), share: gaps.filter(isWithin).length / DRAWS }
  })
  const p95 = mean(replicates.map((one) => one.p95))
  const deviation = Math.sqrt(replicates.reduce((sum, one) => sum + (one.p95 - p95) ** 2, 0) / Math.max(1, count - 1))
  const margin = (T_975 * deviation) / Math.sqrt(count)
  const means: [Stage | 'net', number][] = [
    ...STAGES.map((stage): [Stage, number] => [stage, stageAt(stages[stage], sigmaOf(stages[stage]) / 2)]),
    ['net', base],
  ]
  const total = means.reduce((sum, [, ms]) => sum + ms, 0)
  const share = Object.fromEntries(means.map(([name, ms]) => [name, total === 0 ? 0 : ms / total]))
  const [worst] = means.toSorted(([, a], [, b]) => b - a)[0]!
  return {
    response_gap: {
      ...{ p50: mean(replicates.map((one) => one.p50)), p95, p95_low: p95 - margin, p95_high: p95 + margin },
      ...{ mean: total, samples: count * DRAWS },
    },
    stage_share: share as Record<Stage | 'net', number>,
    worst_stage: worst,
    within_budget: Math.abs(budgetMs - p95) < margin ? null : isWithin(p95),
    share_within_budget: mean(replicates.map((one) => one.share)),
  }
}

/** Each reply begins when its stages are through, and ends with its last word or when the agent notices the user. */
function runTurns(turns: readonly Turn[], call: Call, buffer: number) {
  const random = randomStream(call.stream, CALL)
  const replies: Reply[] = []
  const stops: number[] = []
  let [last, overlap, unheard, dropped] = [null as number | null, 0, 0, 0]
  const answered = new Set<number>()
  for (const [turn, { speaker, start_ms: start, dur_ms: length }] of turns.entries()) {
    if (speaker === 'user') {
      const end = start + length
      const open = replies.filter(({ from, to }) => to > start && to > from)
      const [first] = open
      last = turn
      if (first !== undefined && call.bargeIn) {
        // The voice travels there through a buffer, is noticed, and the order to stop travels back.
        const stop = drawStage(call.stages.vad, random) + call.net.rtt_ms + buffer
        for (const reply of open) {
          if (reply.to > start + stop) reply.stoppedBy = turn
          // One that had not begun is not spoken at all.
          reply.to = Math.min(reply.to, start + stop)
          reply.from = Math.min(reply.from, reply.to)
        }
        const stopped = open.filter(({ stoppedBy }) => stoppedBy === turn)
        if (stopped.some(isSpoken)) stops.push(stop)
        dropped += stopped.filter((reply) => !isSpoken(reply)).length
      }
      for (const { from, to } of open) overlap += Math.max(0, Math.min(to, end) - Math.max(from, start))
      // Who does not listen while it thinks and speaks has not heard what was over by then.
      if (!call.bargeIn && open.some(({ to }) => to >= end)) {
        unheard += 1
        last = null
      }
      continue
    }
    const before = Math.max(0, ...replies.map(({ to }) => to))
    const isAnswer = last !== null && !answered.has(last)
    if (last === null && turns.slice(0, turn).some((one) => one.speaker === 'user')) continue
    const ready = isAnswer ? turns[last!]!.start_ms + turns[last!]!.dur_ms + drawGap(call, buffer, random) : start
    if (last !== null) answered.add(last)
    const from = Math.max(start, ready, before)
    replies.push({ turn, after: isAnswer ? last : null, from, to: from + length, stoppedBy: null })
  }
  return { replies, stops, overlap, unheard, dropped }
}

interface StateChange {
  at_ms: number
  state: (typeof STATES)[number]
  /** The index of the turn that the state is about. */
  turn: number | null
}

/** What the agent is doing from each moment on: one thing at a time. */
function statesOf(turns: readonly Turn[], replies: readonly Reply[], bargeIn: boolean): StateChange[] {
  const endOf = (turn: number) => turns[turn]!.start_ms + turns[turn]!.dur_ms
  const changes: StateChange[] = [{ at_ms: 0, state: 'listening', turn: null }]
  let busy = 0
  for (const reply of replies) {
    const { turn, after, from, to, stoppedBy } = reply
    if (after !== null) changes.push({ at_ms: Math.max(busy, endOf(after)), state: 'thinking', turn })
    busy = to
    if (isSpoken(reply)) changes.push({ at_ms: from, state: 'speaking', turn })
    // A thought that is dropped before its first word interrupts nobody.
    const end = stoppedBy === null || !bargeIn || !isSpoken(reply) ? to : endOf(stoppedBy)
    if (end > to) changes.push({ at_ms: to, state: 'interrupted', turn: stoppedBy })
    changes.push({ at_ms: Math.max(to, end), state: 'listening', turn: null })
  }
  const order = changes
    .map((change, at) => ({ change, at }))
    .sort((a, b) => a.change.at_ms - b.change.at_ms || a.at - b.at)
  return order
    .map(({ change }) => change)
    .filter(
      ({ state, at_ms }, at, all) =>
        all[at + 1]?.at_ms !== at_ms && !(at > 0 && all[at - 1]!.state === state && state === 'listening'),
    )
}

const framesOf = (ms: number): number => Math.ceil(ms / FRAME_MS - ROUNDING)

/** Each frame is lost, comes too late for its buffer, or is played. */
function sendFrames(count: number, { net, stream }: Call, buffer: number) {
  const random = randomStream(stream, FRAMES)
  let [lost, late] = [0, 0]
  if (net.loss > 0 || net.jitter_ms > 0)
    for (let n = 0; n < count; n += 1) {
      if (random.uniform() < net.loss) lost += 1
      else if (net.jitter_ms > 0 && random.exponential(net.jitter_ms) > buffer) late += 1
    }
  return { frames: count, dropped_frames: lost + late, lost_frames: lost, late_frames: late }
}

/** Turns as they come in a talk: a user who now and then begins before the agent has finished. */
function drawTurns(n: number, random: Random): Turn[] {
  const turns: Turn[] = []
  let at = 0
  for (let turn = 0; turn < n; turn += 1) {
    const speaker = turn % 2 === 0 ? 'user' : 'agent'
    const dur_ms = Math.min(
      8000,
      Math.round(drawStage(speaker === 'user' ? { p50: 2000, p95: 6000 } : { p50: 3000, p95: 8000 }, random)),
    )
    const wait = speaker === 'agent' ? 0 : Math.round(1500 + 700 * random.normal())
    at = Math.max(at + wait, turns[turn - 2] === undefined ? 0 : turns[turn - 2]!.start_ms + turns[turn - 2]!.dur_ms)
    turns.push({ speaker, start_ms: at, dur_ms })
    at += dur_ms
  }
  return turns
}
