import type { Examination } from '../../packages/server/src/domain/decision/examine.ts'
import { hostile32KiB, hostileTexts, SIZE } from './hostile-texts.ts'
import { examined } from './pipeline.ts'

export interface Summary {
  p50_ms: number
  p99_ms: number
  max_ms: number
}

export interface Speed {
  code_points: number
  inputs: number
  /** Milliseconds of the slower gate by the wall, and by this thread's processor time where other work disturbs it. */
  gate: Summary
  gate_cpu: Summary
  /** Normalising and both gates together. */
  examination: Summary
  goal_gate_p99_ms: number
  /** Normalising and both gates on 32 KiB of each and of the families of hostile texts, warm; by this thread's processor
   *  time too, which is what the goal is about. */
  examination_of_32_kib: Summary
  examination_of_32_kib_cpu: Summary
  goal_examination_of_32_kib_cpu_max_ms: number
  warm_readings: number
  warm_readings_over_goal: number
  /** Processor time of each text, slowest first: when it is read for the first time, while code is still being compiled
   *  for it, and afterwards. */
  texts_of_32_kib: TextSpeed[]
}

export interface TextSpeed {
  name: string
  first_ms: number
  warm_p50_ms: number
  warm_max_ms: number
}

const GOAL_MS = 50

const ITERATIONS = 5

export function measureSpeed(): Speed {
  const texts = hostileTexts()
  for (const text of texts) examined(text, 'user')
  const timings = Array.from({ length: ITERATIONS }, () => texts.map(timed)).flat()
  const of32KiB = hostile32KiB().map(({ name, text }) => ({ name, text, first: timed(text).wholeCpu }))
  const samples = Array.from({ length: ITERATIONS }, () => of32KiB.map(({ text }) => timed(text)))
  const kib = samples.flat()
  const perText = of32KiB.map(({ name, first }, at): TextSpeed => {
    const { p50_ms, max_ms } = summary(samples.map((round) => (round[at] as Timing).wholeCpu))
    return { name, first_ms: Number(first.toFixed(1)), warm_p50_ms: p50_ms, warm_max_ms: max_ms }
  })
  return {
    code_points: SIZE,
    inputs: texts.length,
    gate: summary(timings.map(({ gate }) => gate)),
    gate_cpu: summary(timings.map(({ cpu }) => cpu)),
    examination: summary(timings.map(({ whole }) => whole)),
    goal_gate_p99_ms: 50,
    examination_of_32_kib: summary(kib.map(({ whole }) => whole)),
    examination_of_32_kib_cpu: summary(kib.map(({ wholeCpu }) => wholeCpu)),
    goal_examination_of_32_kib_cpu_max_ms: GOAL_MS,
    warm_readings: kib.length,
    warm_readings_over_goal: kib.filter(({ wholeCpu }) => wholeCpu > GOAL_MS).length,
    texts_of_32_kib: perText.sort((one, other) => other.warm_max_ms - one.warm_max_ms),
  }
}

interface Timing {
  gate: number
  cpu: number
  whole: number
  wholeCpu: number
}

function timed(text: string): Timing {
  const [begun, begunCpu] = [performance.now(), processorTime()]
  const gate = slowerGate(examined(text, 'user'))
  const [whole, wholeCpu] = [performance.now() - begun, processorTime() - begunCpu]
  return { gate, whole, wholeCpu, cpu: slowerGate(examined(text, 'user', processorTime)) }
}

export const slowerGate = ({ evaluations }: Examination): number =>
  Math.max(evaluations['threat-signature-scan'].ms ?? 0, evaluations['pii-egress-guard'].ms ?? 0)

function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export function summary(values: number[]): Summary {
  const sorted = values.sort((a, b) => a - b)
  const rank = (share: number) => Number((sorted[Math.ceil(share * sorted.length) - 1] as number).toFixed(1))
  return { p50_ms: rank(0.5), p99_ms: rank(0.99), max_ms: rank(1) }
}
