/** Asks the services that the operator named for roles of organ health. */
import type { JsonExchange } from '../../../adapters/outbound/contract.ts'
import type { RemoteHealth, Remotes } from './health.ts'

const LIMITS = { status: 200, deadlineMs: 3_000, maxBytes: 64 * 1024 }
/** The other side answered, though not with what was asked for. */
const UNCLEAR = /^(?:NON_JSON_RESPONSE|INVALID_JSON|DUPLICATE_JSON_KEY|NONFINITE_JSON|ENCODED_RESPONSE_DENIED)$/

export const remoteHealth = (urls: Readonly<Record<string, string>>, exchange: JsonExchange): Remotes =>
  Object.fromEntries(
    Object.entries(urls).map(([role, url]) => [role.toLowerCase(), () => ask(exchange, url)]),
  ) as Remotes

async function ask(exchange: JsonExchange, url: string): Promise<RemoteHealth> {
  const answer = await exchange({ url, ...LIMITS })
  if (answer.ok) return saysOk(answer.value) ? 'up' : 'unclear'
  if (answer.code.startsWith('UPSTREAM_HTTP_')) return 'down'
  return UNCLEAR.test(answer.code) ? 'unclear' : 'silent'
}

function saysOk(value: unknown): boolean {
  const { ok, status } = (value ?? {}) as { ok?: unknown; status?: unknown }
  return ok === true || status === 'ok'
}
