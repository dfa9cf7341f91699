/** One gate worker: it has one text at a time, or a few short ones, and whoever gave them sees to it that it answers.
 *  What crosses is JSON, for speed alone: in messages of 16 it takes 9 µs of processor time for an examination, and the many
 *  small objects it stands for take 16 (`node bench/programs/hand-over.ts`). */
import { type MessagePort, Worker } from 'node:worker_threads'
import { parseJsonText } from '@orch/core'
import type { Examination } from '../../domain/decision/examine.ts'
import type { RuleDocuments } from '../../domain/gates/rules.ts'
import { onlyCompileCache } from '../../platform/compile-cache.ts'
import { threadLimits } from '../../platform/thread-memory.ts'
import type { GateRequest } from '../contract.ts'
import { type ExaminationFailure, readExaminations } from './examination.ts'

/** A text cannot make a thread take the memory of the service. */
const MAX_MEGABYTES = 256

/** The thread's side. Telling the digest says that it is ready, and with which rules. */
export function serveExaminations(port: MessagePort, digest: string, examine: (request: GateRequest) => unknown): void {
  port.on('message', (asked: string) => {
    const requests = parseJsonText(asked) as unknown as GateRequest[]
    port.postMessage({ examinations: JSON.stringify(requests.map(examine)) })
  })
  port.postMessage({ digest })
}

interface ThreadEvents {
  ready(digest: string): void
  /** Once, however it ended. */
  ended(reason: string): void
}

export interface GateThread {
  /** Settles exactly once, whatever the thread does. A thread that hung or sent an invalid reply is over. */
  examine(requests: readonly GateRequest[], hangMs: number): Promise<Examination[] | ExaminationFailure>
  end(reason?: string): void
}

export function startThread(program: URL, rules: RuleDocuments, events: ThreadEvents): GateThread {
  const worker = new Worker(program, {
    name: 'gates',
    workerData: rules,
    env: onlyCompileCache(),
    resourceLimits: threadLimits(MAX_MEGABYTES),
  })
  let settle: ((outcome: Examination[] | ExaminationFailure) => void) | null = null
  let asked = 0
  let over = false
  const answer = (outcome: Examination[] | ExaminationFailure) => {
    const waiting = settle
    settle = null
    waiting?.(outcome)
  }
  const end = (reason: string, outcome: ExaminationFailure) => {
    if (over) return
    over = true
    // Terminating can only fail to come to an end, and nobody waits for it.
    void worker.terminate()
    events.ended(reason)
    answer(outcome)
  }
  worker.on('message', (message: { digest?: string; examinations?: string }) => {
    if (over) return
    if (message.digest !== undefined) {
      // A thread at rest keeps no process alive.
      worker.unref()
      return events.ready(message.digest)
    }
    const examinations = readExaminations(message.examinations)
    if (examinations?.length === asked) return answer(examinations)
    end('sent an invalid reply', 'crashed')
  })
  worker.on('error', (error) => end(`failed: ${(error as Error | null)?.name ?? 'unknown cause'}`, 'crashed'))
  worker.on('messageerror', () => end('sent an invalid reply', 'crashed'))
  worker.on('exit', () => end('ended by itself', 'crashed'))
  return {
    end: (reason = 'was ended') => end(reason, 'crashed'),
    async examine(requests, hangMs) {
      const { promise, resolve } = Promise.withResolvers<Examination[] | ExaminationFailure>()
      settle = resolve
      asked = requests.length
      const stopWatch = watchOver(worker, hangMs, () => settle === resolve && end('hung', 'timed_out'))
      worker.ref()
      try {
        worker.postMessage(JSON.stringify(requests))
        return await promise
      } finally {
        stopWatch()
        worker.unref()
        if (settle === resolve) settle = null
      }
    },
  }
}

/** A thread that gets no processor is not to blame; it has this many times the limit by the wall. */
const STARVED = 4

/** Calls `hung` when the thread has worked for `hangMs` and not answered, or has had far longer than that. */
function watchOver(worker: Worker, hangMs: number, hung: () => void): () => void {
  // An answer that lies in the queue while this loop was busy is read first: the thread is not to blame for us either.
  const afterAnswers = (work: () => void) => () => setImmediate(work)
  const begun = processorMs(worker)
  let over = false
  let early: NodeJS.Timeout
  const judge = async () => {
    const spent = (await processorMs(worker)) - (await begun)
    if (over) return
    if (spent >= hangMs * ENOUGH) hung()
    else early = setTimeout(afterAnswers(judge), hangMs / 4)
  }
  early = setTimeout(afterAnswers(judge), hangMs)
  const late = setTimeout(afterAnswers(hung), hangMs * STARVED)
  return () => {
    over = true
    clearTimeout(early)
    clearTimeout(late)
  }
}

/** The processor's clock ticks by hundredths of a second and the first reading is a moment late. */
const ENOUGH = 0.8

/** Of a thread that has ended nothing can be read, and nothing has to be. */
const processorMs = (worker: Worker): Promise<number> =>
  worker.cpuUsage().then(
    ({ user, system }) => (user + system) / 1000,
    () => 0,
  )
