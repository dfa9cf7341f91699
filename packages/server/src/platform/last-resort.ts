/** What nobody foresaw, in any thread: one JSON line on stderr with its stack, and never a word to a caller. */
import { systemClock } from './clock.ts'

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
  process.stderr.write(`${JSON.stringify({ ts, level, msg, thread, err: String((error as Error)?.stack ?? error) })}\n`)
}
