/** Since when things stand as they do, as far as this process has looked. */
import { isoNow } from '../../platform/clock.ts'
import type { Clock, StateMemory } from '../../ports.ts'

export function stateMemory(clock: Pick<Clock, 'now'>): StateMemory {
  const states = new Map<string, { state: string; since: string }>()
  return {
    since(name, state) {
      const known = states.get(name)
      if (known?.state === state) return known.since
      const since = isoNow(clock)
      states.set(name, { state, since })
      return since
    },
  }
}
