/** The tools that the agent loop and the organ N14 share: each is a function of its arguments and of what it is given of
 *  the world, and none reaches out itself. */
import { sha3_256Hex, sha256Hex, utf8Encode } from '@orch/core'
import type { ArgumentsOf } from './arguments.ts'
import { calculate } from './calc.ts'
import { queryJson } from './json-query.ts'
import { localTime, zoneOf } from './places.ts'

export type ToolOutput = Record<string, unknown>

/** What a tool gets of the outside, for this caller alone. */
export interface ToolWorld {
  /** Milliseconds since the epoch. */
  now(): number
  receipt(digest: string): Promise<ToolOutput | null>
}

/** A sentence in place of an output is a refusal. */
type BasicTool<Name extends BasicName> = (
  args: ArgumentsOf<Name>,
  world: ToolWorld,
) => ToolOutput | string | Promise<ToolOutput | string>
export type BasicName = 'hash' | 'time' | 'json_query' | 'calc' | 'ledger_lookup'

export const BASIC_TOOLS: { [Name in BasicName]: BasicTool<Name> } = {
  hash: ({ text, algorithm = 'sha256' }) => ({
    algorithm,
    digest: algorithm === 'sha256' ? sha256Hex(text) : sha3_256Hex(text),
    bytes: utf8Encode(text).length,
  }),
  time({ zone }, world) {
    const now = world.now()
    const utc = new Date(now).toISOString()
    if (zone === undefined) return { utc }
    const known = zoneOf(zone)
    return known === null
      ? 'the zone is none of the time zone database'
      : { utc, zone: known, local: localTime(now, known) }
  },
  json_query({ document, query }) {
    const answered = queryJson(document, query)
    return answered.ok ? { count: answered.matches.length, matches: answered.matches } : answered.reason
  },
  calc({ expression }) {
    const { ok, ...result } = calculate(expression)
    return ok ? result : (result as { reason: string }).reason
  },
  async ledger_lookup({ digest }, world) {
    const facts = await world.receipt(digest)
    return { found: facts !== null, ...facts }
  },
}
