/** Energy meters. A meter answers `{"joules": <number>, "at": <UTC time>}` over HTTP and nothing else; what it says counts
 *  only for the request that asked for it. */

import { reading } from '@orch/core'
import { isoNow } from '../../platform/clock.ts'
import { SingleFlight } from '../../platform/single-flight.ts'
import type { Clock, EnergyMeters, MeterReading } from '../../ports.ts'
import type { JsonExchange } from '../outbound/contract.ts'

const DEADLINE_MS = 2_000
const MAX_BYTES = 4_096
/** A meter that repeats an old number has not measured anything now. */
const MAX_AGE_MS = 60_000
const MAX_JOULES = 1e15
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/

export function energyMeters(urls: readonly string[], exchange: JsonExchange, clock: Clock): EnergyMeters {
  const now = () => isoNow(clock)
  const flights = new SingleFlight<string>()
  const readOne = async (url: string): Promise<MeterReading> => {
    // The query of a meter's URL may hold a token; only its origin is told.
    const meter = new URL(url).origin
    const answer = await exchange({ url, status: 200, deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES })
    if (!answer.ok) return { meter, error: answer.code }
    const parsed = parseReply(answer.value, clock.now())
    if (typeof parsed === 'string') return { meter, error: parsed }
    return { meter, reading: reading(`meter ${meter}`, now, () => parsed) }
  }
  // The answer comes after the last of those who wait for it, so it is read while each of them is served.
  const shared = (url: string) => flights.run(url, () => readOne(url))
  return {
    configured: urls.length,
    read: () => Promise.all(urls.map(shared)),
  }
}

/** What the meter said, or why it does not count. */
export function parseReply(value: unknown, nowMs: number): { joules: number; at: string } | string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'INVALID_SOURCE_SCHEMA'
  const { joules, at, ...rest } = value as Record<string, unknown>
  if (Object.keys(rest).length > 0) return 'INVALID_SOURCE_SCHEMA'
  if (typeof joules !== 'number' || !(joules >= 0 && joules <= MAX_JOULES)) return 'INVALID_SOURCE_NUMBER'
  if (typeof at !== 'string' || !TIME.test(at)) return 'INVALID_SOURCE_TIMESTAMP'
  const age = Math.abs(nowMs - Date.parse(at))
  if (!(age <= MAX_AGE_MS)) return 'STALE_READING'
  // To a tenth of a millijoule: what is hashed later must print alike in every language.
  return { joules: Math.round(joules * 10_000) / 10_000 + 0, at: new Date(at).toISOString() }
}
