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

/** The embedded model, as the table of targets has it. */
export function localModel(targets: readonly TargetState[]): Found {
  const embedded = targets.find((target) => target.embedded)
  if (embedded === undefined) return { tier: 'NOT-CONFIGURED', facts: {}, reason: 'ORCH_M1 is off' }
  const facts = { id: embedded.id, calls: embedded.calls, errors: embedded.errors }
  if (embedded.absent !== null)
    return { tier: 'NOT-CONFIGURED', facts, reason: `the embedded model ${embedded.id} is not part of this build` }
  return { tier: 'WIRED-UNREACHABLE', facts, reason: 'the embedded model is there, and nothing here asks it yet' }
}
