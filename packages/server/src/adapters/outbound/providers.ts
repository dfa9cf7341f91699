/** The closed table of providers: who may be asked, at which origin, how often and for how much. A new provider is a row
 *  here, or one that a feature makes of its configuration; nothing else changes. */
import { isLoopbackHost } from './addresses.ts'
import type { Provider } from './contract.ts'

const MAX_BYTES = 4 * 2 ** 20
const MAX_IN_FLIGHT = 8

export type ProviderRow = Partial<Omit<Provider, 'id' | 'overridden'>> & { id: string; origins: readonly string[] }

/** `override` is what the operator set in `ORCH_SOURCE_<ID>_URL`: it becomes the only origin. */
export function provider({ origins, ...row }: ProviderRow, override: string | null = null): Provider {
  return {
    minIntervalMs: 0,
    perDay: null,
    maxBytes: MAX_BYTES,
    maxInFlight: MAX_IN_FLIGHT,
    headers: {},
    secretQuery: {},
    missing: null,
    ...row,
    origins: (override === null ? origins : [override]).map(requireOrigin),
    overridden: override !== null,
  }
}

/** A provider whose whole URLs the operator configured. */
export const configured = (id: string, urls: readonly string[], row: Partial<ProviderRow> = {}): Provider =>
  provider({ ...row, id, origins: [...new Set(urls.map((url) => new URL(url).origin))] })

/** The destination, or null where the provider may not be asked for it. */
export function destination(
  { origins, secretQuery }: Provider,
  path: string,
  query: Readonly<Record<string, string | number>>,
): URL | null {
  const isPath = path.startsWith('/')
  const url = URL.parse(isPath ? `${origins[0]}${path}` : path)
  if (isPath && DOT_SEGMENT.test(path)) return null
  if (url === null || !origins.includes(url.origin) || url.username !== '' || url.password !== '' || url.hash !== '')
    return null
  for (const [name, value] of Object.entries({ ...query, ...secretQuery })) url.searchParams.set(name, String(value))
  return url
}

/** Resolved by whoever reads the URL, so that another path than the one that was built would be asked. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i

function requireOrigin(text: string): string {
  const url = URL.parse(text)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url))
  if (url === null || !isSecure || url.href !== `${url.origin}/`)
    throw new Error('the origin of a provider must be https://host[:port], or http:// for a loopback host')
  return url.origin
}
