/** Peers the operator configured: the tool gateway, the surfaces of the constellation and the spending authority. Their
 *  replies are foreign text: an allow-list of fields, each clipped, and nothing else is taken. */
import { OutboundFault } from '../../../adapters/outbound/contract.ts'
import type { PeerFacts, SpaceFacts, SpendFacts, SpineFacts } from '../contract.ts'
import {
  clipped,
  commit,
  count,
  decimal,
  type Fields,
  fieldsOf,
  flag,
  instant,
  listOf,
  optional,
  text,
} from './fields.ts'
import { type Reach, readingKey, type Source } from './latest.ts'

const MAX_TOOLS = 256
const TAIL = 6
const REPORTED = ['version', 'commit', 'doctrine', 'service', 'signer'] as const

export const surfaceKey = (url: string): string => readingKey('constellation', url)

export const spineSource = (url: string): Source<SpineFacts> => ({
  provider: 'spine',
  path: url,
  key: readingKey('spine', url),
  toFacts: spineFacts,
  // A gateway that wants a credential answered: that much is known of it.
  unauthorized: (http_status) => ({ http_status, auth_required: true, server: null, tools: [], resources: [] }),
})

export const spendSource = (url: string): Source<SpendFacts> => ({
  provider: 'spend',
  path: url,
  key: readingKey('spend', url),
  toFacts: spendFacts,
})

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
export async function readSurface(url: string, { outbound, latest, signal }: Reach): Promise<void> {
  const probed = await outbound.probe('constellation', url, signal)
  if (!probed.ok) return latest.record(surfaceKey(url), probed)
  const { http_status, latency_ms } = probed
  const found =
    http_status === 200 ? await outbound.get('constellation', url, {}, { normalise: reportOf }, signal) : null
  const report = found?.ok ? found.value : reportOf(null)
  const value: PeerFacts = { http_status, latency_ms, report }
  latest.record(surfaceKey(url), { ok: true, value, bytes_sha256: found?.ok ? found.bytes_sha256 : null })
}

function reportOf(value: unknown): PeerFacts['report'] {
  const from = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
  const reported = (name: string) => {
    const text = Object.hasOwn(from, name) ? from[name] : undefined
    return typeof text === 'string' && text !== '' ? clipped(text, 64) : null
  }
  return Object.fromEntries(REPORTED.map((name) => [name, reported(name)])) as PeerFacts['report']
}

function spendFacts(value: unknown): SpendFacts {
  const facts = spendFields(fieldsOf(value))
  // Figures that contradict each other are not all true, and which of them are cannot be known here.
  if (!addsUp(facts)) throw new OutboundFault('INCONSISTENT_SOURCE')
  return facts
}

const CENT = 0.01
const PERCENT = 1

/** Where both sides of a relation are given. Rounding is the authority's own: a cent, and one percent of its share. */
function addsUp({ cap_usd, spent_usd, remaining_usd, pct_used, armed, tripped }: SpendFacts): boolean {
  const [cap, spent] = [cap_usd, spent_usd].map((text) => (text === null ? null : Number(text)))
  if (cap === null || cap === undefined || spent === null || spent === undefined) return true
  if (remaining_usd !== null && !isNear(Number(remaining_usd), [cap - spent, Math.max(0, cap - spent)], CENT))
    return false
  if (pct_used !== null && cap > 0 && !isNear(Number(pct_used), [(100 * spent) / cap], PERCENT)) return false
  return !(armed === true && tripped === false && spent > cap + CENT)
}

/** A hair more than allowed: the difference of two decimals is seldom exact. */
const isNear = (reported: number, expected: readonly number[], within: number): boolean =>
  expected.some((one) => Math.abs(reported - one) <= within * 1.000001)

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

export interface SpaceSettings {
  /** `owner/name`. */
  name: string
  origin: string
}

export const spaceUrl = ({ name, origin }: SpaceSettings): string => `${origin}/api/spaces/${name}`

export const spaceSource = (settings: SpaceSettings): Source<SpaceFacts> => ({
  provider: 'space',
  path: spaceUrl(settings),
  key: readingKey('space', spaceUrl(settings)),
  toFacts(reply) {
    const from = fieldsOf(reply)
    const id = text(201)(from, 'id')
    if (id.toLowerCase() !== settings.name.toLowerCase()) throw new OutboundFault('IDENTITY_MISMATCH')
    const runtime = optional(from, 'runtime', (at, field) => fieldsOf(at[field]))
    return {
      id,
      sha: commit(from, 'sha'),
      stage: runtime === null ? null : optional(runtime, 'stage', text(32)),
      sdk: optional(from, 'sdk', text(32)),
      last_modified: optional(from, 'lastModified', instant),
      private: optional(from, 'private', flag),
    }
  },
})
