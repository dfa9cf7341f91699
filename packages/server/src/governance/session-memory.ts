/** The end of what each session said last, for texts that are split over several calls. Memory only, ten minutes. */
import { sessionTailAfter } from '../domain/text/session-text.ts'

const KEPT_MS = 10 * 60_000
/** Whoever opens more sessions than this pushes the oldest out; what is lost is a view, and no decision is opened by it. */
const MOST_SESSIONS = 10_000

export class SessionMemory {
  private readonly tails = new Map<string, { tail: string; at: number }>()

  tail(session: string | null, now: number): string {
    const held = session === null ? undefined : this.tails.get(session)
    return held !== undefined && now - held.at < KEPT_MS ? held.tail : ''
  }

  remember(session: string | null, folded: string, now: number): void {
    if (session === null) return
    const tail = sessionTailAfter(this.tail(session, now), folded)
    this.tails.delete(session)
    this.tails.set(session, { tail, at: now })
    if (this.tails.size > MOST_SESSIONS) this.tails.delete(this.tails.keys().next().value as string)
  }
}
