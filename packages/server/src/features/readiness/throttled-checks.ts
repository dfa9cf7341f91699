/** The checks behind the claims as anybody may ask for them. One that goes outside runs once for all who ask while it
 *  runs, and not again for 10 s: no caller can make this service ask others as often as he asks it. */
import { SingleFlight } from '../../platform/single-flight.ts'
import type { Clock } from '../../ports.ts'
import type { ClaimId } from './claims.ts'
import type { LiveClaim } from './schemas.ts'

type Checked = LiveClaim['check']

const COOLDOWN_MS = 10_000

interface ThrottledChecks {
  run(id: ClaimId): Promise<{ check: Checked; mode: 'live' | 'cached'; retry_after_seconds: number | null }>
  /** What the newest run in this process found; null where there was none, or its findings are not stored. */
  newest(id: ClaimId): Checked | null
}

export function throttledChecks(
  run: (id: ClaimId) => Promise<Checked>,
  goesOutside: (id: ClaimId) => boolean,
  clock: Pick<Clock, 'monotonic'>,
): ThrottledChecks {
  const ended = new Map<ClaimId, { at: number; check: Checked }>()
  const running = new SingleFlight<ClaimId>()
  const begin = async (id: ClaimId): Promise<Checked> => {
    const check = await run(id)
    ended.set(id, { at: clock.monotonic(), check })
    return check
  }
  return {
    async run(id) {
      if (!goesOutside(id)) return { check: await run(id), mode: 'live', retry_after_seconds: null }
      const last = ended.get(id)
      const rest = last === undefined ? 0 : last.at + COOLDOWN_MS - clock.monotonic()
      if (last !== undefined && rest > 0)
        return { check: last.check, mode: 'cached', retry_after_seconds: Math.ceil(rest / 1000) }
      return { check: await running.run(id, () => begin(id)), mode: 'live', retry_after_seconds: null }
    },
    newest: (id) => ended.get(id)?.check ?? null,
  }
}
