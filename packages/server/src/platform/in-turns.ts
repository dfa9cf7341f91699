import { setImmediate as turnOfLoop } from 'node:timers/promises'

/** Does one piece of work after the other with a turn of the event loop between them, so that none waits for all: for
 *  libraries that take long to load. */
export async function inTurns(pieces: readonly (() => unknown)[]): Promise<void> {
  for (const piece of pieces) {
    await piece()
    await turnOfLoop()
  }
}
