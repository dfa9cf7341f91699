// What the kernel says that each thread of a process has had of a processor. Needs /proc, so Linux.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Unavailable } from './scenario.ts'

/** The stub that answers for a model is no part of what is measured, where it is a thread of the target. */
export const FOREIGN = 'upstream'

/** What the kernel says that each thread of a process has had of a processor. */
export function threadClocks(pid: number): Map<string, { thread: string; us: number }> {
  const folder = `/proc/${pid}/task`
  if (!existsSync(folder)) throw new Unavailable('this system has no /proc, where the clocks of threads are')
  return new Map(
    readdirSync(folder).map((id) => {
      const thread = readFileSync(`${folder}/${id}/comm`, 'utf8').trim()
      const us = Number(readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')[0]) / 1_000
      return [id, { thread, us }]
    }),
  )
}

/** Microseconds of the processors that a process has had since it is asked; NaN where the system does not tell. Threads that
 *  ended meanwhile are left out: what they had before would be taken off. */
export function processorMeter(pid: number): () => number {
  if (!existsSync('/proc/self/task')) return () => Number.NaN
  const before = threadClocks(pid)
  return () => {
    let used = 0
    for (const [id, { thread, us }] of threadClocks(pid)) if (thread !== FOREIGN) used += us - (before.get(id)?.us ?? 0)
    return used
  }
}

/** By the names under which the system knows them. */
const NAMES: Readonly<Record<string, string>> = {
  'node-MainThread': 'main',
  'libuv-worker': 'thread pool',
  'node-V8Worker': 'collector',
  WorkerThread: 'other threads of the program',
}
/** Those that the service gives names itself. */
const NAMED = ['ledger', 'gates', 'reader', FOREIGN]

export type PerThread = Record<string, number>
type Clocks = ReturnType<typeof threadClocks>

const WATCH_MS = 20

/** The clocks of a process that ends by itself, as they were last seen. */
export function watchedClocks(pid: number): () => Clocks {
  const seen: Clocks = new Map()
  const look = () => {
    // It may end between two looks, or in the middle of one.
    try {
      for (const [id, clock] of threadClocks(pid)) seen.set(id, clock)
    } catch (error) {
      const isOver = ['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))
      if (!isOver && !(error instanceof Unavailable)) throw error
    }
  }
  const watch = setInterval(look, WATCH_MS)
  return () => {
    clearInterval(watch)
    return seen
  }
}

/** Microseconds that each thread took for one of so many things. Threads of one name count as one. */
export function perItem(from: Clocks, to: Clocks, items: number): PerThread {
  const threads: PerThread = {}
  for (const [id, { thread, us }] of to) {
    const name = NAMES[thread] ?? (NAMED.includes(thread) ? thread : 'other')
    threads[name] = (threads[name] ?? 0) + (us - (from.get(id)?.us ?? 0)) / items
  }
  return threads
}

const LOOK_MS = 500
/** Of the time that passes, what a service takes that has nothing to do. */
const IDLE_SHARE = 0.02

/** Until a process does nothing, or so long has passed: what is measured then has its background work in it, which is said. */
export async function untilIdle(pid: number, limitMs: number): Promise<void> {
  const end = performance.now() + limitMs
  for (let last = threadClocks(pid); performance.now() < end; ) {
    await pause(LOOK_MS)
    const now = threadClocks(pid)
    const used = Object.values(perItem(last, now, 1)).reduce((sum, us) => sum + us, 0)
    if (used < LOOK_MS * 1_000 * IDLE_SHARE) return
    last = now
  }
  process.stderr.write(`process ${pid} is still at work after ${limitMs / 1_000} s; it is measured all the same\n`)
}

/** For a program that measures itself: a line with the processor time of one of so many things by thread, and nothing where
 *  the system does not tell. */
export function ownMeter(): (items: number) => string {
  if (!existsSync('/proc/self/task')) return () => ''
  const from = threadClocks(process.pid)
  return (items) => `${JSON.stringify(perItem(from, threadClocks(process.pid), items))}\n`
}
