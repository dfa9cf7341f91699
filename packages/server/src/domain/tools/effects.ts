/** The server's own tool registry: what each tool may do to the world. Callers register nothing and state no effects. */
import type { Effect } from '../gates/finding.ts'

/** Without a prototype, so that a plan naming `__proto__` or `constructor` names no tool. */
export const TOOL_EFFECTS: Readonly<Record<string, Effect>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, Effect>, {
    hash: 'read',
    time: 'read',
    calc: 'read',
    json_query: 'read',
    text_stats: 'read',
    retrieve: 'read',
    ledger_lookup: 'read',
    verify_receipt: 'read',
    gate_check: 'read',
    note_put: 'write',
    session_clear: 'destructive',
  } satisfies Record<string, Effect>),
)
