/** The end of what each session said last, for texts that are split over several calls. Memory only, ten minutes. */
import { LRUCache } from 'lru-cache'
import { sessionTailAfter } from '../domain/text/session-text.ts'

const MAX_AGE_MS = 10 * 60_000
/** Whoever opens more sessions than this pushes the oldest out; what is lost is a view, and no decision is opened by it. */
const MAX_SESSIONS = 10_000

export class SessionMemory {
  private readonly tails = new LRUCache<string, { tail: string; at: number }>({ max: MAX_SESSIONS })

  tail(session: string | null, now: number): string {
    const stored = session === null ? undefined : this.tails.peek(session)
    return stored !== undefined && now - stored.at < MAX_AGE_MS ? stored.tail : ''
  }

  remember(session: string | null, folded: string, now: number): void {
    if (session === null) return
    this.tails.set(session, { tail: sessionTailAfter(this.tail(session, now), folded), at: now })
  }
}
