/** What the answers of model endpoints come to. */
import type { TargetState } from '../../adapters/models/contract.ts'
import type { Found } from './probe.ts'
import type { Tier } from './schemas.ts'

export interface Endpoint {
  id: string
  /** The operator hosts it: it lies on this machine or on a network that he named as his own. */
  selfHosted: boolean
}

export type Answer = { ok: true; facts: Record<string, unknown> } | { ok: false; code: string }

export interface Answered {
  endpoint: Endpoint
  answer: Answer
  /** When it was asked, in milliseconds since the epoch. */
  at: number
}

const BEST_FIRST: readonly Tier[] = ['LIVE-SOVEREIGN', 'LIVE-MANAGED', 'WIRED-UNREACHABLE']

const tierOf = ({ endpoint, answer }: Answered): Tier =>
  !answer.ok ? 'WIRED-UNREACHABLE' : endpoint.selfHosted ? 'LIVE-SOVEREIGN' : 'LIVE-MANAGED'

/** The best of them stands for the capability; each has its own row in the facts. */
export function toFound(answered: readonly Answered[], unconfigured: string): Found {
  if (answered.length === 0) return { tier: 'NOT-CONFIGURED', facts: { endpoints: [] }, reason: unconfigured }
  const endpoints = answered.map((one) => ({
    id: one.endpoint.id,
    tier: tierOf(one),
    asked_at: new Date(one.at).toISOString(),
    ...(one.answer.ok ? one.answer.facts : { reason: one.answer.code }),
  }))
  const tier = BEST_FIRST.find((best) => endpoints.some((one) => one.tier === best))!
  const best = answered.filter((one) => tierOf(one) === tier)
  const askedAt = Math.min(...best.map(({ at }) => at))
  if (tier !== 'WIRED-UNREACHABLE') return { tier, facts: { endpoints }, askedAt }
  const codes = [...new Set(answered.map(({ answer }) => (answer.ok ? '' : answer.code)))]
  return { tier, facts: { endpoints }, askedAt, reason: `no configured endpoint answered: ${codes.join(', ')}` }
}

/** The embedded model: wanted by the operator, and let through by its own gate, which loads it and repeats a forward pass. */
export async function localModel(
  targets: readonly TargetState[],
  lookAtGate: () => Promise<ModelGate>,
): Promise<Found> {
  const embedded = targets.find((target) => target.embedded)
  if (embedded === undefined) return { tier: 'NOT-CONFIGURED', facts: {}, reason: 'ORCH_M1 is off' }
  const counted = { id: embedded.id, calls: embedded.calls, errors: embedded.errors }
  if (embedded.absent !== null)
    return {
      ...{ tier: 'NOT-CONFIGURED', facts: counted },
      reason: `the embedded model ${embedded.id} is not part of this build`,
    }
  const { operational_state, release_state, checks } = await lookAtGate()
  const failed = Object.entries(checks).filter(([, { state }]) => state !== 'PASS')
  const facts = {
    ...counted,
    ...{ operational_state, release_state, weights_sha256: checks.weights?.sha256 ?? null },
    checks_passed: Object.keys(checks).length - failed.length,
  }
  if (operational_state === 'READY_EXPERIMENTAL') return { tier: 'LIVE-SOVEREIGN', facts }
  const reason = failed.map(([name, { reason }]) => `${name}: ${reason}`).join('; ')
  return { tier: 'WIRED-UNREACHABLE', facts, reason: `the gate of the model is ${operational_state}: ${reason}` }
}

/** As much of the gate as is told here. */
export interface ModelGate {
  operational_state: string
  release_state: string
  checks: Readonly<Record<string, { state: string; reason: string | null; sha256?: string }>>
}
