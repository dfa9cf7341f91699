/** Which target answers: those that may, in the order the caller's effort asks for. Pure. */
import { affords } from '@orch/core'
import type { TargetState } from '../../../adapters/models/contract.ts'
import type { Authorize, PolicyVerdict } from '../../../domain/policy/authorization.ts'
import { governRequest, inferRequest } from '../../../domain/policy/requests.ts'
import type { Route } from '../schemas.ts'

export type Candidate = Pick<
  TargetState,
  'id' | 'zone' | 'tier' | 'contextTokens' | 'answerTokens' | 'embedded' | 'absent' | 'breaker' | 'inFlight'
>

export const EFFORTS = ['fast', 'balanced', 'deep'] as const
export type Effort = (typeof EFFORTS)[number]

export interface RouteAsk {
  owner: string
  namespace: string
  /** Of the sensitivity class, 0 to 3. */
  rank: number
  effort: Effort
  /** Targets the caller named; nothing else is tried in their place. Null: all of them. */
  named: readonly string[] | null
  /** Tokens of the prompt and the longest answer together. */
  tokens: number
  /** How many of these the answer may have; a target that gives shorter answers needs less room. */
  answerTokens?: number
}

export function routeOf(targets: readonly Candidate[], ask: RouteAsk, authorize: Authorize): Route {
  const considered = candidatesOf(targets, ask.named)
  const judged = considered.map((target) => ({ target, why: objections(target, ask, authorize) }))
  const eligible = ordered(
    judged.filter(({ why }) => why.length === 0).map(({ target }) => target),
    ask.effort,
  ).map(({ id }) => id)
  const rejected = judged.filter(({ why }) => why.length > 0).map(({ target: { id }, why }) => ({ id, why }))
  return { chosen: eligible[0] ?? null, eligible, rejected }
}

export const candidatesOf = <T extends Candidate>(targets: readonly T[], named: readonly string[] | null): T[] =>
  targets.filter(({ id }) => named === null || named.includes(id))

function objections(target: Candidate, ask: RouteAsk, authorize: Authorize): string[] {
  const { owner, namespace, rank } = ask
  const tokens = ask.tokens - spared(target, ask)
  const { id, zone, absent, breaker, contextTokens } = target
  const policy = authorize(inferRequest({ owner, namespace, target: id, zone, rank }))
  return [
    ...(policy.outcome === 'allow' ? [] : policy.reasons),
    ...(absent === null ? [] : [absent]),
    ...(breaker === 'open' ? ['BREAKER_OPEN'] : []),
    ...(absent === null && !fitsContext(tokens, contextTokens) ? ['PROMPT_TOO_LONG'] : []),
  ]
}

const spared = ({ answerTokens: most }: Candidate, { answerTokens = 0 }: RouteAsk): number =>
  most === undefined ? 0 : Math.max(0, answerTokens - most)

/** F19 over tokens: prompt and longest answer are spent on the context of the target and never exceed it. */
const fitsContext = (tokens: number, contextTokens: number): boolean =>
  affords({ spent: 0n, cap: BigInt(contextTokens) }, BigInt(tokens))

const BY_EFFORT: Record<Effort, (one: Candidate, other: Candidate) => number> = {
  fast: (one, other) => one.tier - other.tier || one.inFlight - other.inFlight,
  deep: (one, other) => other.tier - one.tier || one.inFlight - other.inFlight,
  balanced: () => 0,
}

/** The embedded model comes last: it answers when nobody else does. */
const ordered = (targets: Candidate[], effort: Effort): Candidate[] =>
  targets.sort((one, other) => Number(one.embedded) - Number(other.embedded) || BY_EFFORT[effort](one, other))

/** Who is asked when the first target failed before its first byte. What may not leave does not leave by a failure. */
export function failoverOf({ eligible, chosen }: Route, targets: readonly Candidate[], rank: number): string | null {
  const zoneOf = (id: string | null) => targets.find((target) => target.id === id)?.zone
  const next = eligible[1] ?? null
  const leaves = zoneOf(chosen) === 'local' && zoneOf(next) === 'external'
  return leaves && rank >= 2 ? null : next
}

/** The policy question of an inference: may this text go to any of the targets it could go to? Without a target it goes
 *  nowhere, and the question is the one about text alone. */
export const askTargets =
  ({ owner, namespace }: Pick<RouteAsk, 'owner' | 'namespace'>, targets: readonly Candidate[]) =>
  ({ rank }: { rank: number }, authorize: Authorize): PolicyVerdict => {
    const verdicts = targets
      .filter(({ absent }) => absent !== 'MODEL_ABSENT')
      .map(({ id, zone }) => authorize(inferRequest({ owner, namespace, target: id, zone, rank })))
    const plain = { effect: 'none', tool: null, registered: null, tainted: false, approved: false } as const
    return (
      verdicts.find(({ outcome }) => outcome === 'allow') ??
      verdicts.find(({ outcome }) => outcome === 'review') ??
      verdicts[0] ??
      authorize(governRequest({ owner, namespace, rank, ...plain }))
    )
  }
