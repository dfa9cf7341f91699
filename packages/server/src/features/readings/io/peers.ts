/** Neighbours the operator configured: the tool gateway, the surfaces of the constellation and the spending authority.
 *  Their replies are foreign text: an allow-list of fields, each clipped, and nothing else is kept. */
import type { PeerFacts, SpendFacts, SpineFacts } from '../contract.ts'
import { factsOf, type Kept, type Read, readingKey } from './cache.ts'
import type { Failure, Outside } from './client.ts'
import { clipped, count, decimal, type Fields, fieldsOf, flag, listOf, optional, text, Unfit } from './fields.ts'

const MAX_BYTES = 262_144
const MAX_TOOLS = 256
const TAIL = 6
const REPORTED = ['version', 'commit', 'doctrine', 'service', 'signer'] as const

export const spineKey = (url: string): string => readingKey('spine', url)
export const surfaceKey = (url: string): string => readingKey('constellation', url)
export const spendKey = (url: string): string => readingKey('spend', url)

export async function readSpine(url: string, outside: Outside, kept: Kept, signal: AbortSignal): Promise<void> {
  const found = await outside.json({ provider: 'spine', url, maxBytes: MAX_BYTES, closedIsAnswer: true }, signal)
  kept.keep(spineKey(url), closedDoor(found) ?? factsOf(found, spineFacts))
}

/** A gateway that wants a credential answered: that much is known of it. */
function closedDoor(found: { ok: true } | Failure): Read<SpineFacts> | null {
  const status = found.ok ? null : /^UPSTREAM_HTTP_(401|403)$/.exec(found.code)?.[1]
  if (status === null || status === undefined) return null
  const value = { http_status: Number(status), auth_required: true, server: null, tools: [], resources: [] }
  return { ok: true, value, bytes_sha256: null }
}

function spineFacts(value: unknown): SpineFacts {
  const from = fieldsOf(value)
  const named = (entry: unknown) => {
    const at = fieldsOf(entry)
    return { name: text(80)(at, 'name'), description: optional(at, 'description', text(200)) }
  }
  return {
    http_status: 200,
    auth_required: optional(from, 'auth_required', flag) ?? false,
    server: serverOf(from),
    tools: listOf(from.tools ?? [], MAX_TOOLS).map(named),
    resources: listOf(from.resources ?? [], MAX_TOOLS).map((entry) =>
      typeof entry === 'string' ? clipped(entry, 80) : named(entry).name,
    ),
  }
}

/** `server` is a name, or an object with one, as tool protocols have it. */
function serverOf(from: Fields): string | null {
  const server = from.server ?? from.serverInfo ?? from.name
  if (typeof server === 'string') return clipped(server, 80)
  return typeof server === 'object' && server !== null ? optional(fieldsOf(server), 'name', text(80)) : null
}

/** The status is the reading; the report is what the reply says of itself, where it says it in JSON. */
export async function readSurface(url: string, outside: Outside, kept: Kept, signal: AbortSignal): Promise<void> {
  const asked = { provider: 'constellation', url, maxBytes: MAX_BYTES } as const
  const probed = await outside.probe(asked, signal)
  if (!probed.ok) return kept.keep(surfaceKey(url), probed)
  const { http_status, latency_ms } = probed
  const found = http_status === 200 ? await outside.json(asked, signal) : null
  const value: PeerFacts = { http_status, latency_ms, report: reportOf(found?.ok ? found.value : null) }
  kept.keep(surfaceKey(url), { ok: true, value, bytes_sha256: found?.ok ? found.bytes_sha256 : null })
}

function reportOf(value: unknown): PeerFacts['report'] {
  const from = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
  const said = (name: string) => {
    const text = Object.hasOwn(from, name) ? from[name] : undefined
    return typeof text === 'string' && text !== '' ? clipped(text, 64) : null
  }
  return Object.fromEntries(REPORTED.map((name) => [name, said(name)])) as PeerFacts['report']
}

export async function readSpend(
  { url, token }: { url: string; token: string | null },
  outside: Outside,
  kept: Kept,
  signal: AbortSignal,
): Promise<void> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
  const found = await outside.json({ provider: 'spend', url, headers, maxBytes: MAX_BYTES }, signal)
  kept.keep(spendKey(url), factsOf(found, spendFacts))
}

function spendFacts(value: unknown): SpendFacts {
  const facts = spendFields(fieldsOf(value))
  // Figures that contradict each other are not all true, and nobody here can say which are.
  if (!addsUp(facts)) throw new Unfit('INCONSISTENT_SOURCE')
  return facts
}

const CENT = 0.01
const PERCENT = 1

/** Where both sides of a relation are told. Rounding is the authority’s own: a cent, and one percent of its share. */
function addsUp({ cap_usd, spent_usd, remaining_usd, pct_used, armed, tripped }: SpendFacts): boolean {
  const [cap, spent] = [cap_usd, spent_usd].map((text) => (text === null ? null : Number(text)))
  if (cap === null || cap === undefined || spent === null || spent === undefined) return true
  if (remaining_usd !== null && !isNear(Number(remaining_usd), [cap - spent, Math.max(0, cap - spent)], CENT))
    return false
  if (pct_used !== null && cap > 0 && !isNear(Number(pct_used), [(100 * spent) / cap], PERCENT)) return false
  return !(armed === true && tripped === false && spent > cap + CENT)
}

/** A hair more than allowed: the difference of two decimals is seldom exact. */
const isNear = (told: number, expected: readonly number[], within: number): boolean =>
  expected.some((one) => Math.abs(told - one) <= within * 1.000001)

function spendFields(from: Fields): SpendFacts {
  return {
    cap_usd: optional(from, 'cap_usd', decimal),
    spent_usd: optional(from, 'spent_usd', decimal),
    remaining_usd: optional(from, 'remaining_usd', decimal),
    pct_used: optional(from, 'pct_used', decimal),
    armed: optional(from, 'armed', flag),
    tripped: optional(from, 'tripped', flag),
    entries: optional(from, 'entries', count),
    chain_intact: optional(from, 'chain_intact', flag),
    tail: listOf(from.tail ?? [], 10_000)
      .slice(-TAIL)
      .map(spendEntry),
  }
}

function spendEntry(value: unknown): SpendFacts['tail'][number] {
  const from = fieldsOf(value)
  return {
    ts: optional(from, 'ts', text(40)),
    actor: optional(from, 'actor', text(64)),
    model: optional(from, 'model', text(64)),
    usd: optional(from, 'usd', decimal),
    digest: optional(from, 'digest', text(80)),
  }
}
