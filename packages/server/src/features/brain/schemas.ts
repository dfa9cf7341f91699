/** Wire shapes of the heartbeat and of the shares that surfaces get. */
import { DOCTRINE } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Plot } from '../../domain/plot.ts'
import { Count, closed, Hex64, Nullable, named, Text, Texts, Timestamp, words } from '../../domain/wire.ts'

const Positive = Type.Number({ minimum: 0 })
const source = { source: Type.String(), read_at: Timestamp }
const gauge = (unit: string) => closed({ value: Positive, unit: Type.Literal(unit), ...source })

const ProcessReadings = closed({
  uptime_s: gauge('s'),
  rss_bytes: gauge('bytes'),
  heap_used_bytes: gauge('bytes'),
  cpu_user_ms: gauge('ms'),
  cpu_system_ms: gauge('ms'),
  event_loop_delay_ms: closed({ p50: Positive, p99: Positive, max: Positive, unit: Type.Literal('ms'), ...source }),
  active_handles: gauge('handles'),
  load1: gauge('runnable tasks'),
})
export type ProcessReadings = Static<typeof ProcessReadings>

const StoreCount = closed({
  value: Nullable(Count),
  is_lower_bound: Type.Boolean({ description: 'counting stopped there: there are as many or more' }),
  label: words(['MEASURED', 'UNAVAILABLE']),
  source: Type.String(),
  reason: Text,
})
export type StoreCount = Static<typeof StoreCount>

const Stores = closed({
  receipts: StoreCount,
  chains: StoreCount,
  organ_runs: StoreCount,
  step_sessions: StoreCount,
  claims_evaluated: StoreCount,
  search_documents: StoreCount,
  surfaces: StoreCount,
})
export type Stores = Static<typeof Stores>

const Energy = closed({
  joules: Nullable(Positive),
  window_s: Nullable(Positive),
  watts: Nullable(Positive),
  label: words(['MEASURED', 'UNAVAILABLE']),
  source: Type.String(),
  reason: Text,
})
export type Energy = Static<typeof Energy>

const Lit = closed({
  surfaces_total: Count,
  surfaces_active_5m: Type.Integer({
    minimum: 0,
    description: 'this surface aside: looking must not change what is seen',
  }),
  organs_active_5m: Type.Integer({ minimum: 0, description: 'organs with a recorded run' }),
})
export type Lit = Static<typeof Lit>

const Lambda = closed({
  status: Type.String(),
  is_theorem: Type.Literal(false),
  trust_ceiling: Type.Number(),
  floor: Type.Number(),
})

export const BrainPulse = named('BrainPulse', {
  ok: Type.Boolean({ description: 'every store that this build has answered' }),
  kind: Type.Literal('orch.brain-pulse/v1'),
  label: Type.Literal('MEASURED'),
  generated_at: Timestamp,
  read_only: Type.Literal(true),
  doctrine: Type.Literal(DOCTRINE),
  lambda: Lambda,
  process: ProcessReadings,
  stores: Stores,
  energy: Energy,
  lit: Lit,
  content_digest_sha256: Type.String({
    ...Hex64,
    description: 'of the canonical {kind, doctrine, lambda, stores, lit}: the same state gives the same digest',
  }),
})
export type BrainPulse = Static<typeof BrainPulse>

export const SurfacePath = Type.Object({
  surface_id: Type.String({
    pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
    description: 'an id of known_surfaces; small letters, digits, dot, underscore and hyphen',
    examples: ['organs'],
  }),
})

export const SurfaceShare = named('SurfaceShare', {
  kind: Type.Literal('orch.surface-share/v1'),
  label: Type.Literal('MODELED'),
  surface_id: Type.String(),
  surface_known: Type.Boolean(),
  demand: Count,
  weight: Positive,
  request_budget: Type.Number({ minimum: 0, description: 'requests of the window, cut to six decimals' }),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'request_budget over capacity' }),
  shares_sum: Type.Number({ minimum: 0, maximum: 1, description: 'all budgets over capacity' }),
  capacity: Count,
  unallocated: Positive,
  window_s: Count,
  demand_basis: Type.String(),
  equation: Type.String(),
  energy_budget: closed({
    joules: Nullable(Positive),
    label: words(['MODELED', 'UNAVAILABLE']),
    reason: Text,
  }),
  pulse_digest: Hex64,
  known_surfaces: Texts,
  weights_without_surface: Type.Array(Type.String(), { description: 'configured weights whose name is no surface' }),
  plot: Plot,
  generated_at: Timestamp,
})
export type SurfaceShare = Static<typeof SurfaceShare>
