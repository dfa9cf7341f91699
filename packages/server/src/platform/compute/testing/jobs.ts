/** Jobs of the pool's tests: what a job may do, and what it must not be able to do to others. */
import { threadId } from 'node:worker_threads'
import type { JobContext } from '../job.ts'

/** Its annotations show that types are stripped in the thread as well. */
export const add = ({ a, b }: { a: number; b: number }): number => a + b

export const thread = (): number => threadId

export const spin = (): never => {
  for (;;);
}

/** Never ends and never holds the thread either: only the deadline ends it. */
export const waitForEver = (): Promise<never> => new Promise(() => setInterval(() => undefined, 1000))

export const fillHeap = (): never => {
  const retained: unknown[] = []
  for (;;) retained.push({ text: String(retained.length) })
}

/** Outside the heap, where the limits of V8 do not count. */
export const fillBuffers = (): never => {
  const retained: unknown[] = []
  for (;;) {
    if (retained.length < 64) retained.push(new Uint8Array(1024 * 1024).fill(1))
  }
}

export const leaveBuffers = ({ bytes }: { bytes: number }): number => {
  ;(globalThis as { left?: Uint8Array }).left = new Uint8Array(bytes)
  return threadId
}

export const crash = (): Promise<never> =>
  new Promise(() => {
    setTimeout(() => {
      throw new Error('nobody catches this')
    }, 1)
  })

export const exit = (): never => process.exit(0)

export const fail = (): never => {
  throw new RangeError('this is the reason', { cause: { part: 7 } })
}

export const failUnclonable = (): never => {
  throw Object.assign(new Error('words alone'), { cause: () => 1 })
}

export const returnFunction = (): unknown => () => 1

export const returnBytes = ({ bytes }: { bytes: number }): Uint8Array => new Uint8Array(bytes)

export const returnMany = () => ({ list: [1, 2], map: new Map([['k', new Float64Array([0.5])]]) })

export const count = ({ to }: { to: number }, { progress }: JobContext): number => {
  for (let done = 1; done <= to; done++) progress(done, to)
  return to
}

/** Reports, then spins: a test knows by the report that the job is running. */
export const reportAndSpin = (_params: unknown, { progress }: JobContext): never => {
  progress(0, 1)
  return spin()
}
