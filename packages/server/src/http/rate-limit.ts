/** A token bucket per key (GCRA): `perMinute` requests a minute, evenly refilled, a full bucket to begin with. Pure but
 *  for the table it keeps, whose size an attacker with many addresses cannot push past the bound. */
export interface RateVerdict {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until one more request is allowed (refused) or the bucket is full (allowed). */
  resetSeconds: number
}

const MAX_KEYS = 50_000
const MINUTE_MS = 60_000

export function rateLimiter(perMinute: number): (key: string, nowMs: number) => RateVerdict {
  const cost = MINUTE_MS / perMinute
  const fullAt = new Map<string, number>()
  return (key, now) => {
    const busyUntil = Math.max(fullAt.get(key) ?? now, now)
    const next = busyUntil + cost
    const allowed = next - now <= MINUTE_MS
    if (allowed) remember(fullAt, key, next)
    const used = (allowed ? next : busyUntil) - now
    return {
      allowed,
      limit: perMinute,
      remaining: Math.max(0, Math.floor((MINUTE_MS - used) / cost + 1e-9)),
      resetSeconds: Math.ceil((allowed ? used : used + cost - MINUTE_MS) / 1000),
    }
  }
}

function remember(table: Map<string, number>, key: string, value: number): void {
  table.delete(key)
  table.set(key, value)
  if (table.size > MAX_KEYS) {
    const oldest = table.keys().next()
    if (!oldest.done) table.delete(oldest.value)
  }
}

/** One household of IPv6 addresses is one client: whoever owns a /64 could otherwise have 2^64 buckets. */
export const clientKey = (address: string): string =>
  address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address
