/** A token bucket per key (GCRA): `perMinute` requests a minute, evenly refilled, a full bucket to begin with. Pure but
 *  for the table it keeps, whose size an attacker with many addresses cannot push past the bound. */
interface RateVerdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until one more request is allowed (refused) or the bucket is full (allowed). */
  resetSeconds: number
}

const MAX_KEYS = 50_000
const MINUTE_MS = 60_000
/** A clock with fractions does not give `now + minute - now` back exactly: a full bucket must not be short by that. */
const ROUNDING_MS = 1e-3

export type RateLimiter = (key: string, nowMs: number) => RateVerdict

export function rateLimiter(perMinute: number, maxKeys = MAX_KEYS): RateLimiter {
  const cost = MINUTE_MS / perMinute
  const fullAt = new Map<string, number>()
  return (key, now) => {
    const busyUntil = Math.max(fullAt.get(key) ?? now, now)
    const next = busyUntil + cost
    const allowed = next - now <= MINUTE_MS + ROUNDING_MS
    if (allowed) remember(fullAt, key, next, maxKeys)
    const used = (allowed ? next : busyUntil) - now
    return {
      allowed,
      limit: perMinute,
      remaining: Math.max(0, Math.floor((MINUTE_MS - used) / cost + 1e-9)),
      resetSeconds: Math.ceil((allowed ? used : used + cost - MINUTE_MS) / 1000),
    }
  }
}

function remember(table: Map<string, number>, key: string, value: number, maxKeys: number): void {
  table.delete(key)
  table.set(key, value)
  if (table.size > maxKeys) {
    const oldest = table.keys().next()
    if (!oldest.done) table.delete(oldest.value)
  }
}

const MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i

/** One household of IPv6 addresses is one client: whoever owns a /64 could otherwise have 2^64 buckets. */
export function clientKey(address: string): string {
  if (!address.includes(':')) return address
  const mapped = MAPPED.exec(address)?.[1]
  if (mapped !== undefined) return mapped
  return `${groupsOf(address).slice(0, 4).join(':')}::/64`
}

/** All eight groups, the run of zeros behind `::` written out. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.split('%', 1)[0]!.toLowerCase().split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array<string>(zeros).fill('0'), ...right]
}
