/** Keeps a page of another site from acting on a service it can reach but was not invited to: a browser says where a
 *  request comes from, and a rebound name shows in Host. Pure. */

import { isIPv4 } from 'node:net'

export interface Fence {
  /** Host names the operator listed, with or without a port, or null for the default rule. */
  listed: ReadonlySet<string> | null
  /** Origin of the configured base URL, or null. */
  baseOrigin: string | null
}

export interface Provenance {
  host: string | undefined
  origin: string | undefined
  fetchSite: string | undefined
}

export const fenceOf = (settings: { allowedHosts: readonly string[] | null; baseUrl: string | null }): Fence => ({
  listed: settings.allowedHosts === null ? null : new Set(settings.allowedHosts.map((host) => host.toLowerCase())),
  baseOrigin: settings.baseUrl === null ? null : new URL(settings.baseUrl).origin,
})

/** Null when the request may write, else the reason it may not. */
export function foreignReason(fence: Fence, from: Provenance): string | null {
  const header = from.host?.toLowerCase() ?? ''
  if (!isOurHost(fence, header)) return 'the Host header names a host this service does not answer for'
  if (from.fetchSite !== undefined && from.fetchSite !== 'same-origin' && from.fetchSite !== 'none')
    return 'the request comes from a page of another site'
  if (from.origin === undefined) return null
  const origin = from.origin.toLowerCase()
  const ours = origin === `http://${header}` || origin === `https://${header}` || origin === fence.baseOrigin
  return ours ? null : 'the Origin header is not this service’s own'
}

/** The name without its port, in lower case; null when it is not a host at all. */
function hostName(header: string): string | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/.exec(header)
  return match?.[1] ?? null
}

/** Rebinding needs a name the attacker controls: an address literal cannot be rebound, so it passes unless the operator
 *  listed hosts and left it out. `header` is in lower case. */
export function isOurHost(fence: Fence, header: string): boolean {
  const host = hostName(header)
  if (host === null) return false
  if (fence.baseOrigin !== null && new URL(fence.baseOrigin).hostname === host) return true
  if (fence.listed !== null) return fence.listed.has(host) || fence.listed.has(header)
  return host === 'localhost' || host.startsWith('[') || isIPv4(host)
}
