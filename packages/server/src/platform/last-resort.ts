/** What nobody foresaw, in any thread: one JSON line on stderr with its stack, and never a word to a caller. */
import { writeSync } from 'node:fs'
import { systemClock } from './clock.ts'

const STDERR = 2

type Unforeseen = 'uncaughtException' | 'unhandledRejection'

/** What becomes of the thread after each. A rejection that nobody waited for ended one piece of work and nothing else, so a
 *  thread may go on after it; an exception tore a hole into whatever was running, so no thread goes on after it as if
 *  nothing had happened. An event that is not named here ends the thread, as it does by itself. */
export function onUnforeseen(thread: string, reactions: Partial<Record<Unforeseen, () => void>>): void {
  for (const [event, react] of Object.entries(reactions))
    process.on(event, (error: unknown) => {
      report(thread, event as Unforeseen, error)
      react()
    })
}

function report(thread: string, msg: Unforeseen, error: unknown): void {
  const ts = new Date(systemClock.now()).toISOString()
  const level = msg === 'uncaughtException' ? 'fatal' : 'error'
  const line = JSON.stringify({ ts, level, msg, thread, err: String((error as Error)?.stack ?? error) })
  try {
    writeSync(STDERR, `${line}\n`)
  } catch {
    // On a full disk there is nobody to tell; what is done about the event is done all the same.
  }
}
