/** The heartbeat of this process and its stores, and the share of the capacity that one surface gets. */
import { canonicalize, DOCTRINE, LAMBDA, measured, readingAsync, sha256Hex } from '@orch/core'
import type { Plot } from '../../domain/plot.ts'
import { roundDeep } from '../../domain/rounded.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { fairShares } from './fair-shares.ts'
import type { BrainPulse, Energy, Lit, ProcessReadings, Stores, SurfaceShare } from './schemas.ts'
import type { Surface } from './surfaces.ts'

/** The surface that looks: its own requests are no sign of life. */
const OWN_SURFACE = 'brain'
const KIND = 'orch.brain-pulse/v1'

export interface BrainPort {
  pulse(): Promise<BrainPulse>
  subscribe(surfaceId: string): Promise<SurfaceShare>
}

export interface PulseSources {
  clock: Clock
  process(): ProcessReadings
  stores(): Promise<Stores>
  energy(): Promise<Energy>
  surfaces(): Surface[]
  activeOrgans(): number
  windowSeconds: number
  capacity: number
  weights: Readonly<Record<string, number>>
}

export async function takePulse(sources: PulseSources): Promise<BrainPulse> {
  const now = () => isoNow(sources.clock)
  const taken = await readingAsync('this process and its stores', now, () =>
    Promise.all([sources.stores(), sources.energy()]),
  )
  const {
    label,
    value: [stores, energy],
    read_at,
  } = measured(taken)
  const lit = litOf(sources)
  return {
    // What this build does not have is no failure of a store.
    ok: Object.entries(stores).every(([name, { value }]) => value !== null || name === 'search_documents'),
    kind: KIND,
    label,
    generated_at: read_at,
    read_only: true,
    doctrine: DOCTRINE,
    lambda: LAMBDA,
    process: sources.process(),
    stores,
    energy,
    lit,
    content_digest_sha256: digestOf(stores, lit),
  }
}

function litOf({ surfaces, activeOrgans }: PulseSources): Lit {
  const all = surfaces()
  return {
    surfaces_total: all.length,
    surfaces_active_5m: all.filter(({ id, demand }) => demand > 0 && id !== OWN_SURFACE).length,
    organs_active_5m: activeOrgans(),
  }
}

const digestOf = (stores: Stores, lit: Lit): string =>
  sha256Hex(canonicalize({ kind: KIND, doctrine: DOCTRINE, lambda: LAMBDA, stores, lit }))

const EQUATION =
  'weighted max-min fair shares: in ascending demand / weight a surface gets its demand while demand <= weight x capacity left / weights left; the others get weight x capacity left / weights left'

export async function shareOf(surfaceId: string, sources: PulseSources): Promise<SurfaceShare> {
  const { clock, windowSeconds, capacity, weights } = sources
  const surfaces = sources.surfaces()
  const [stores, energy] = await Promise.all([sources.stores(), sources.energy()])
  const weightOf = (id: string) => weights[id] ?? 1
  const demands = surfaces.map(({ id, demand }) => ({ demand, weight: weightOf(id) }))
  const { budgets, unallocated } = fairShares(demands, capacity)
  // Cut and not rounded: the budgets that are shown never add up to more than there is.
  const shown = budgets.map((budget) => Math.floor(budget * 1e6) / 1e6)
  const at = surfaces.findIndex(({ id }) => id === surfaceId)
  const budget = shown[at] ?? 0
  const ids = surfaces.map(({ id }) => id)
  return roundDeep({
    kind: 'orch.surface-share/v1' as const,
    label: 'MODELED' as const,
    surface_id: surfaceId,
    surface_known: at >= 0,
    demand: surfaces[at]?.demand ?? 0,
    weight: at < 0 ? 0 : weightOf(surfaceId),
    request_budget: budget,
    share: budget / capacity,
    shares_sum: Math.min(1, shown.reduce((sum, one) => sum + one, 0) / capacity),
    capacity,
    unallocated,
    window_s: windowSeconds,
    demand_basis: `requests of the surface that ended in the last ${windowSeconds} s, counted by this process`,
    equation: EQUATION,
    energy_budget: energyBudget(energy, budget / capacity, windowSeconds),
    pulse_digest: digestOf(stores, litOf(sources)),
    known_surfaces: ids,
    weights_without_surface: Object.keys(weights).filter((id) => !ids.includes(id)),
    plot: plotOf(surfaces, shown, at),
    generated_at: isoNow(clock),
  })
}

/** What the machine would use in the window at the power that was just measured, by the share of the surface. */
function energyBudget({ watts, reason }: Energy, share: number, seconds: number): SurfaceShare['energy_budget'] {
  if (watts === null) return { joules: null, label: 'UNAVAILABLE', reason }
  return { joules: share * watts * seconds, label: 'MODELED', reason: null }
}

function plotOf(surfaces: readonly Surface[], budgets: readonly number[], at: number): Plot {
  const demands = surfaces.map(({ demand }) => demand)
  return {
    kind: 'bar',
    title: 'Demand and budget of the surfaces, in the order of known_surfaces',
    x: { name: 'surface', unit: null, min: 0, max: Math.max(0, surfaces.length - 1) },
    y: { name: 'requests', unit: 'requests per window', min: 0, max: Math.max(1, ...demands) },
    series: [
      { name: 'demand', points: demands.map((demand, index) => [index, demand]) },
      { name: 'budget', points: budgets.map((budget, index) => [index, budget]) },
    ],
    reference_lines: at < 0 ? [] : [{ axis: 'x', value: at, name: surfaces[at]!.id }],
  }
}
