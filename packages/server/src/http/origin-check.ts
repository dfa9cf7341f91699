/** Keeps pages of other sites away from a service they can reach but were not invited to: a browser says where a request
 *  comes from, and a name that was rebound to this machine shows in Host. Pure. */

import { isIPv4, isIPv6 } from 'node:net'

interface OriginRules {
  /** Host names the operator listed, with or without a port, or null for the default rule. */
  listed: ReadonlySet<string> | null
  baseOrigin: string | null
  baseHost: string | null
}

interface RequestOrigin {
  host: string | undefined
  origin: string | undefined
  fetchSite: string | undefined
}

export function readOriginRules(settings: {
  allowedHosts: readonly string[] | null
  baseUrl: string | null
}): OriginRules {
  const base = settings.baseUrl === null ? null : new URL(settings.baseUrl)
  return {
    listed: settings.allowedHosts === null ? null : new Set(settings.allowedHosts.map(normalizedEntry)),
    baseOrigin: base?.origin ?? null,
    baseHost: base === null ? null : withoutTrailingDot(base.hostname),
  }
}

const UNKNOWN_HOST =
  'the header Host names a host this service does not answer for; call it by an address it has, or list the name in ORCH_ALLOWED_HOSTS'

/** Null when the request is for a host of ours, else the reason it may not even read: a page whose own name was rebound
 *  to this machine is same-origin to its browser, so that neither CORS nor Origin stops it. */
export const unknownHostReason = (rules: OriginRules, host: string | undefined): string | null =>
  isOurHost(rules, host?.toLowerCase() ?? '') ? null : UNKNOWN_HOST

/** Null when a request for a host of ours may write, else the reason it may not. A link from another site to one of our
 *  pages must open, so reads are not asked; without a CORS header the answer stays closed to that site. */
export function crossOriginReason(rules: OriginRules, from: RequestOrigin): string | null {
  if (from.fetchSite !== undefined && from.fetchSite !== 'same-origin' && from.fetchSite !== 'none')
    return 'the header Sec-Fetch-Site says that a page of another site sent this; call from the console of this service, or without a browser as curl does'
  if (from.origin === undefined) return null
  const header = from.host?.toLowerCase() ?? ''
  const origin = from.origin.toLowerCase()
  const ours = origin === `http://${header}` || origin === `https://${header}` || origin === rules.baseOrigin
  return ours
    ? null
    : "the header Origin is not this service's own; call from its own pages, or set ORCH_BASE_URL to the address people use"
}

/** Rebinding needs a name the attacker controls: an address literal cannot be rebound, so it passes unless the operator
 *  listed hosts and left it out. `header` is in lower case. */
function isOurHost({ listed, baseHost }: OriginRules, header: string): boolean {
  const parts = partsOf(header)
  if (parts === null) return false
  const { name, port } = parts
  if (name === baseHost) return true
  if (listed !== null) return listed.has(name) || listed.has(name + port)
  return name === 'localhost' || isIPv4(name) || (name.startsWith('[') && isIPv6(name.slice(1, -1)))
}

/** A name as it stands in Host, without the dot that may end it, and its port with the colon; null when it is no host. */
function partsOf(header: string): { name: string; port: string } | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/.exec(header)
  return match === null ? null : { name: withoutTrailingDot(match[1]!), port: match[2] ?? '' }
}

/** `localhost.` is the absolute form of `localhost`: a browser sends either, as it was typed. */
const withoutTrailingDot = (name: string): string => (name.endsWith('.') ? name.slice(0, -1) : name)

function normalizedEntry(entry: string): string {
  const parts = partsOf(entry.toLowerCase())
  return parts === null ? entry.toLowerCase() : parts.name + parts.port
}

const ADDRESS = /^(?:\[|localhost(?::|$)|\d{1,3}(?:\.\d{1,3}){3}(?::|$))/

/** The operator's word first. Otherwise the caller's, and only for a host this service answers for: whoever forges the
 *  header must not be able to name the place an auditor fetches the key from. A listed name is taken to be behind TLS,
 *  an address literal is not. */
export function createPublicOrigin(
  settings: Parameters<typeof readOriginRules>[0],
): (host: string | undefined) => string | null {
  const rules = readOriginRules(settings)
  return (host) => {
    if (rules.baseOrigin !== null) return rules.baseOrigin
    const header = host?.toLowerCase() ?? ''
    if (!isOurHost(rules, header)) return null
    return `${ADDRESS.test(header) ? 'http' : 'https'}://${header}`
  }
}
