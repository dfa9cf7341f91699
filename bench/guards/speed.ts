import type { Examination } from '../../packages/server/src/domain/decision/examine.ts'
import SEEDS from './hostile-seeds.json' with { type: 'json' }
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
  /** The same for 32 KiB of each, which is less where a code point takes more than a byte; by this thread's processor
   *  time too, which is what the goal is about. */
  examination_of_32_kib: Summary
  examination_of_32_kib_cpu: Summary
  goal_examination_of_32_kib_cpu_max_ms: number
}

export const SIZE = 32_768
const ITERATIONS = 5
/** Each seed over and over, up to the longest text that is accepted. */
export const hostileTexts = (): string[] =>
  SEEDS.map((seed) => [...seed.repeat(Math.ceil(SIZE / [...seed].length))].slice(0, SIZE).join(''))

const KIB_32 = 32 * 1024
const hostile32KiB = (): string[] => SEEDS.map((seed) => seed.repeat(Math.floor(KIB_32 / Buffer.byteLength(seed))))

export function measureSpeed(): Speed {
  const texts = hostileTexts()
  for (const text of texts) examined(text, 'user')
  const timings = Array.from({ length: ITERATIONS }, () => texts.map(timed)).flat()
  const kib = Array.from({ length: ITERATIONS }, () => hostile32KiB().map(timed)).flat()
  return {
    code_points: SIZE,
    inputs: texts.length,
    gate: summary(timings.map(({ gate }) => gate)),
    gate_cpu: summary(timings.map(({ cpu }) => cpu)),
    examination: summary(timings.map(({ whole }) => whole)),
    goal_gate_p99_ms: 50,
    examination_of_32_kib: summary(kib.map(({ whole }) => whole)),
    examination_of_32_kib_cpu: summary(kib.map(({ wholeCpu }) => wholeCpu)),
    goal_examination_of_32_kib_cpu_max_ms: 50,
  }
}

function timed(text: string): { gate: number; cpu: number; whole: number; wholeCpu: number } {
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
