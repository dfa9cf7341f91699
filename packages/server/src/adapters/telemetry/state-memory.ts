/** Since when things stand as they do, as far as this process has looked. */
import type { Clock, StateMemory } from '../../ports.ts'

export function stateMemory(clock: Pick<Clock, 'now'>): StateMemory {
  const held = new Map<string, { state: string; since: string }>()
  return {
    since(name, state) {
      const known = held.get(name)
      if (known?.state === state) return known.since
      const since = new Date(clock.now()).toISOString()
      held.set(name, { state, since })
      return since
    },
  }
}
