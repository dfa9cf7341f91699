import { type GateId, type Gates, type LoopState, move, TRANSITIONS } from './state-machine.ts'

/** As far as the gates let it go by itself, and what it waits for there. Denying is a person's to do. */
export function advance(gates: Gates): { state: LoopState; blocked_by: readonly GateId[] } {
  let state: LoopState = 'DETECTED'
  for (;;) {
    const next = TRANSITIONS.find(({ from, reason_required }) => from === state && !reason_required)
    if (next === undefined) return { state, blocked_by: [] }
    const moved = move(state, next.to, gates)
    if (!moved.moved) return { state, blocked_by: moved.blocked_by }
    state = moved.state
  }
}
