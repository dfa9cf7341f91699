// Loaded into every thread of a service before its programs are (`--import`): says which stage each thread is at, and keeps
// how long it was there. Only `npm run bench -- --account` loads it; the service itself holds nothing of this. Lines are
// added at the end of the programs named below, where a function may be given another value.
import { Server } from 'node:http'
import { registerHooks } from 'node:module'
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { BroadcastChannel, isMainThread, threadName } from 'node:worker_threads'

export interface ThreadStages {
  thread: string
  /** Milliseconds by the clock on the wall, without those in which the loop waited. */
  walls: Record<string, number>
  /** The same, before a stage begins and after the last one of a turn. */
  unclaimed: number
  /** Milliseconds of processor time of what blocks its thread, where the wall tells nothing. */
  blocking: Record<string, number>
  /** Milliseconds of the walls in which this thread stood still for the collector. */
  collecting: number
}

type Work = (...args: never[]) => unknown

const spent = {
  walls: {} as Record<string, number>,
  unclaimed: 0,
  blocking: {} as Record<string, number>,
  collecting: 0,
}
let label: string | null = null
let last = performance.now()
let lastIdle = performance.nodeTiming.idleTime

function charge(): void {
  const now = performance.now()
  const idle = performance.nodeTiming.idleTime
  const busy = now - last - (idle - lastIdle)
  if (label === null) spent.unclaimed += busy
  else spent.walls[label] = (spent.walls[label] ?? 0) + busy
  last = now
  lastIdle = idle
}

let isEnding = false
function endWithTurn(): void {
  if (isEnding) return
  isEnding = true
  setImmediate(() => {
    isEnding = false
    charge()
    label = null
  })
}

/** Whatever runs from here on in this turn of the thread's loop belongs to this stage, until another begins. What is awaited
 *  beyond the turn has to say again where it belongs, or it is nobody's. */
const begins =
  (stage: string, work: Work): Work =>
  (...args) => {
    charge()
    label = stage
    endWithTurn()
    return work(...args)
  }

/** The call itself is this stage, and what comes after it what it was before. */
const within =
  (stage: string, work: Work): Work =>
  (...args) => {
    charge()
    const before = label
    label = stage
    try {
      return work(...args)
    } finally {
      charge()
      label = before
    }
  }

const pause = new Int32Array(new SharedArrayBuffer(4))
/** The kernel adds up a thread's time when it leaves the processor, so it is made to. */
function processorMs(): number {
  Atomics.wait(pause, 0, 0, 0.001)
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** A call that waits for the disk without leaving its thread. */
const blocking =
  (stage: string, work: Work): Work =>
  (...args) => {
    charge()
    const from = processorMs()
    try {
      return work(...args)
    } finally {
      spent.blocking[stage] = (spent.blocking[stage] ?? 0) + processorMs() - from
      last = performance.now()
      lastIdle = performance.nodeTiming.idleTime
    }
  }

type Wrap = typeof begins
const method = (of: { prototype: object }, name: string, stage: string, wrap: Wrap = begins): void => {
  const methods = of.prototype as Record<string, Work>
  const work = methods[name]!
  methods[name] = function (this: unknown, ...args) {
    return wrap(stage, () => work.apply(this, args))()
  }
}
/** What a function makes: a function, or an object of some. */
const made =
  (make: Work, stages: string | Record<string, readonly [stage: string, wrap: Wrap]>): Work =>
  (...args) => {
    const thing = make(...args) as Record<string, Work>
    if (typeof stages === 'string') return within(stages, thing as unknown as Work)
    for (const [name, [stage, wrap]] of Object.entries(stages)) thing[name] = wrap(stage, thing[name]!)
    return thing
  }

const [PARSE, GATES, POLICY, DECIDE] = ['parse and validate', 'gates', 'policy', 'decide']
const [TEXT, HAND_OVER, PLACE, SIGN] = ['canonical text', 'hand-over', 'place and hash', 'sign']
const [STORE, REPLY, STATE, UPSTREAM] = ['insert and commit', 'reply', 'session state', 'upstream']
const READ = 'read'

/** One line each: the end of the program's path, and what is done to a function of it. */
const LINES = `
http/validation.ts readJsonBody = within('${PARSE}', readJsonBody)
http/validation.ts validator = made(validator, '${PARSE}')
http/response.ts answerResult = within('${REPLY}', answerResult)
workers/examination.ts examineBy = within('${GATES}', examineBy)
workers/examination.ts readExaminations = within('${GATES}', readExaminations)
workers/examination-batcher.ts method(ExaminationBatcher, 'turn', '${DECIDE}')
workers/examination-batcher.ts method(ExaminationBatcher, 'dispatch', '${GATES}', within)
workers/examination-batcher.ts method(ExaminationBatcher, 'requeue', '${DECIDE}')
policy/policy-stage.ts askPolicies = within('${POLICY}', askPolicies)
governance/pipeline.ts determine = begins('${DECIDE}', determine)
governance/govern.ts toDecisionRequest = begins('${DECIDE}', toDecisionRequest)
stepping/step-request.ts stepAsked = begins('${STATE}', stepAsked)
stepping/decide-step.ts decide = begins('${STATE}', decide)
stepping/decide-step.ts assessed = within('${DECIDE}', assessed)
stepping/step-draft.ts stepDraft = begins('${STATE}', stepDraft)
inference/answering.ts generationOf = begins('${UPSTREAM}', generationOf)
ledger/append-queue.ts toEntry = within('${TEXT}', toEntry)
ledger/thread.ts openThread = made(openThread, { post: ['${HAND_OVER}', within], ask: ['${HAND_OVER}', within] })
ledger/ledger.ts method(LedgerService, 'hear', '${REPLY}')
threads/worker.ts method(LedgerThread, 'take', '${HAND_OVER}')
ledger/sequencer.ts method(Sequencer, 'prepare', '${PLACE}')
ledger/sequencer-deps.ts signaturesOf = within('${SIGN}', signaturesOf)
ledger/batch.ts toAppendedBatch = begins('${HAND_OVER}', toAppendedBatch)
ledger/thread.ts answerWith = begins('${READ}', answerWith)
store/snapshots.ts takeSnapshots = begins('snapshots', takeSnapshots)
sqlite/store.ts sqliteStore = made(sqliteStore, { lock: ['${STORE}', within], begin: ['${STORE}', within], write: ['${STORE}', within], commit: ['${STORE}', blocking] })
`
  .trim()
  .split('\n')
  .map((line) => ({ file: line.slice(0, line.indexOf(' ')), code: line.slice(line.indexOf(' ') + 1) }))

Object.assign(globalThis, { account: { begins, within, blocking, method, made } })
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const added = LINES.filter(({ file }) => url.endsWith(`/${file}`)).map(({ code }) => code)
    if (added.length === 0) return loaded
    const names = 'const { begins, within, blocking, method, made } = globalThis.account'
    return { ...loaded, source: `${loaded.source}\n{ ${[names, ...added].join('; ')} }\n` }
  },
})

if (isMainThread) {
  const emit = Server.prototype.emit
  Server.prototype.emit = function (this: Server, ...args: Parameters<typeof emit>) {
    if (args[0] === 'request') {
      // What the loop did since the last turn, with no stage begun, was to read this request and parse its head.
      label ??= 'HTTP in'
      begins('HTTP in', () => undefined)()
    }
    return emit.apply(this, args)
  } as typeof emit
}

new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) spent.collecting += duration
}).observe({ type: 'gc' })

// The main thread is asked by its parent and asks the others.
const channel = new BroadcastChannel('account')
channel.unref()
const own = (): ThreadStages => {
  charge()
  return { thread: isMainThread ? 'main' : (threadName ?? ''), ...structuredClone(spent) }
}
if (isMainThread) {
  const answers: ThreadStages[] = []
  channel.onmessage = (event) => answers.push((event as MessageEvent<ThreadStages>).data)
  process.on('message', (message) => {
    if (message !== 'stages') return
    answers.splice(0, answers.length, own())
    channel.postMessage(null)
    setTimeout(() => process.send?.(answers), 1_000)
  })
} else
  channel.onmessage = (event) => {
    if ((event as MessageEvent).data === null) channel.postMessage(own())
  }
