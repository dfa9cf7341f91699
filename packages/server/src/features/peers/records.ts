/** The services around this one as they are answered: ours is checked in the request, the others are shown as last read. */
import { type ClockNow, type Live, type Measured, measured, reading, unavailable } from '@orch/core'
import type { Counted } from '../../domain/receipts/local-spend.ts'
import { TOOL_ARGUMENTS, TOOL_DESCRIPTIONS, type ToolName } from '../../domain/tools/arguments.ts'
import type { ToolEntry } from '../../governance/contract.ts'
import type { Peer, PeerFacts, SpendFacts, SpineFacts, Stored } from '../readings/contract.ts'
import type { Constellation, FederatedSpend, Spine } from './schemas.ts'

export interface OwnSurface {
  url: string | null
  ready: boolean
  latencyMs: number
  report: PeerFacts['report']
}

export function buildConstellation(own: Live<OwnSurface>, peers: readonly Peer[]): Constellation {
  const surfaces = [ownSurface(own), ...peers.map(peerSurface)]
  return {
    schema: 'orch.constellation/v1',
    surfaces,
    reachable: surfaces.filter(({ reachable }) => reachable === true).length,
    total: surfaces.length,
    unknown: surfaces.filter(({ reachable }) => reachable === null).length,
  }
}

type Surface = Constellation['surfaces'][number]

/** Checked within the process: nothing was sent over HTTP, so there is no status. */
const ownSurface = ({ value: { url, ready, latencyMs, report }, label, read_at }: Live<OwnSurface>): Surface => ({
  name: 'orch',
  kind: 'service',
  group: 'Core',
  url,
  mode: 'live',
  probe_via: 'in-process',
  http_status: null,
  reachable: true,
  latency_ms: latencyMs,
  fetched_at: read_at,
  age_seconds: 0,
  last_error: null,
  reason: ready ? null : 'NOT_READY',
  label,
  report,
})

function peerSurface({ name, kind, group, url, reading }: Peer): Surface {
  const { value } = reading
  return {
    name,
    kind,
    group,
    url,
    probe_via: 'background',
    ...freshness(reading),
    http_status: value?.http_status ?? null,
    reachable: isReachable(reading),
    latency_ms: value?.latency_ms ?? null,
    report: value?.report ?? NO_REPORT,
  }
}

const NO_REPORT: PeerFacts['report'] = {
  version: null,
  commit: null,
  doctrine: null,
  service: null,
  signer: null,
}

/** The newest attempt decides: what answered an hour ago and does not now is not reachable. Never asked is unknown. */
function isReachable({ value, last_error }: Peer['reading']): boolean | null {
  if (last_error !== null) return false
  return value === null ? null : value.http_status >= 200 && value.http_status < 400
}

/** How a stored reading is shown: its mode, how old it is, and what the newest attempt failed with. */
function freshness({ mode, fetched_at, age_seconds, last_error, reason, value }: Stored<unknown>) {
  const label = value === null ? ('UNAVAILABLE' as const) : ('SAMPLE' as const)
  return { mode, fetched_at, age_seconds, last_error: last_error?.code ?? null, reason, label }
}

const NO_FIGURES: SpendFacts = {
  cap_usd: null,
  spent_usd: null,
  remaining_usd: null,
  pct_used: null,
  armed: null,
  tripped: null,
  entries: null,
  chain_intact: null,
  tail: [],
}

/** What a spending authority said when it was last read, and what our own receipts count. The two are never
 *  added together, and a figure that is missing is null. */
export function federatedSpend(
  authority: Stored<SpendFacts> & { origin: string | null },
  counted: Measured<Counted>,
): FederatedSpend {
  const { value, origin } = authority
  const { cap_usd, spent_usd, remaining_usd, pct_used, armed, tripped, entries, chain_intact, tail } =
    value ?? NO_FIGURES
  return {
    schema: 'orch.federated-spend/v1',
    configured: origin !== null,
    state: origin === null ? 'not_configured' : value === null ? 'unreachable' : 'cached',
    authority: origin,
    ...freshness(authority),
    ...{ cap_usd, spent_usd, remaining_usd, pct_used, armed, tripped, entries, chain_intact, tail },
    local: localSpend(counted),
  }
}

/** Without prices there is no cost. */
const UNPRICED = { cost_usd: null, cost_reason: 'no price table is part of this build', price_table_sha256: null }

function localSpend({ value: counted, label, read_at }: Measured<Counted>): FederatedSpend['local'] {
  const { receipts_walked, receipts_total, ...totals } = counted
  const walk = { receipts_walked, receipts_total, read_at }
  if (receipts_walked >= receipts_total) return { ...totals, ...UNPRICED, ...walk, label, reason: null }
  const partly = unavailable(`${receipts_walked} of ${receipts_total} receipts are counted so far; ask again`)
  const none = { model_calls: null, tokens_in: null, tokens_out: null, calls_without_usage: null }
  return { ...none, ...UNPRICED, ...walk, label: partly.label, reason: partly.reason }
}

interface ToolRegistry {
  tool(name: string): ToolEntry | null
  /** What a credential needs to have tools run. */
  scopes: readonly string[]
}

export const buildSpine = (
  registry: ToolRegistry,
  gateway: Stored<SpineFacts> & { origin: string | null },
  now: ClockNow,
): Spine => ({
  schema: 'orch.spine/v1',
  local: localTools(registry, now),
  gateway: describeGateway(gateway),
})

function localTools(registry: ToolRegistry, now: ClockNow) {
  const { value, label, read_at } = measured(reading('running tool registry', now, () => listTools(registry)))
  return { tools: value, tool_count: value.length, label, read_at }
}

/** A tool without an effect in the registry cannot be run, and is not listed. */
const listTools = ({ tool, scopes }: ToolRegistry) =>
  (Object.keys(TOOL_ARGUMENTS) as ToolName[]).flatMap((name) => {
    const entry = tool(name)
    if (entry === null) return []
    return [{ name: entry.name, description: TOOL_DESCRIPTIONS[name], effect: entry.effect, scopes: [...scopes] }]
  })

function describeGateway(gateway: Stored<SpineFacts> & { origin: string | null }): Spine['gateway'] {
  const { value, origin } = gateway
  return {
    configured: origin !== null,
    origin,
    ...freshness(gateway),
    http_status: value?.http_status ?? null,
    server: value?.server ?? null,
    tools: value?.tools ?? [],
    resources: value?.resources ?? [],
    auth_required: value?.auth_required ?? null,
  }
}
