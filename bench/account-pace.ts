// Loaded into every thread of a service that `npm run bench -- --account` measures: what the service does by itself every
// few seconds or minutes runs when the account asks for it and at no other time. Otherwise one round holds the walks over
// thousands of steps and the next one none, and neither says what a request costs.
import { BroadcastChannel, isMainThread } from 'node:worker_threads'

const MIN_INTERVAL_MS = 1_000

/** In threads of their own, where no request waits for a deadline, a long timeout is what comes round by itself as well. */
const MIN_TIMEOUT_MS = 5_000

const callbacks = new Set<() => unknown>()
const due: (() => unknown)[] = []
const schedule = globalThis.setInterval
globalThis.setInterval = ((work: (...args: unknown[]) => unknown, ms: number, ...args: unknown[]) => {
  // A timer that never fires is handed out, for whoever unrefs or refreshes it.
  if (!(ms >= MIN_INTERVAL_MS)) return schedule(work, ms, ...args)
  callbacks.add(() => work(...args))
  return schedule(() => undefined, 2 ** 31 - 1).unref()
}) as typeof setInterval

const scheduleOnce = globalThis.setTimeout
if (!isMainThread)
  globalThis.setTimeout = ((work: (...args: unknown[]) => unknown, ms: number, ...args: unknown[]) => {
    if (!(ms >= MIN_TIMEOUT_MS)) return scheduleOnce(work, ms, ...args)
    due.push(() => work(...args))
    return scheduleOnce(() => undefined, 2 ** 31 - 1).unref()
  }) as typeof setTimeout

const channel = new BroadcastChannel('background')
channel.unref()
const runAll = () => {
  for (const work of [...callbacks, ...due.splice(0)]) work()
}
channel.onmessage = runAll
if (isMainThread)
  process.on('message', (message) => {
    if (message !== 'background') return
    channel.postMessage(null)
    runAll()
  })
