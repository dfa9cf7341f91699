/** N5 Lattice: what gates decide together, and which of them forces it. */
import { LAMBDA } from '@orch/core'
import Type, { type Static } from 'typebox'
import { Verdict } from '../../../domain/decision/wire.ts'
import { closed, Nullable, Texts } from '../../../domain/wire.ts'
import type { Gates, Policies } from '../../../governance/contract.ts'
import { authorize, textQuestion } from '../authorize.ts'
import { type Organ, op, type RequestFault, type RunContext } from '../organ.ts'
import { judgeTurns, PLAIN } from '../rails/conversation.ts'
import { screenText } from '../text-screen.ts'
import { compose, isApproximate, Z95 } from './compose.ts'
import example from './example.json' with { type: 'json' }

const Share = Type.Number({ minimum: 0, maximum: 1 })
const Milliseconds = Type.Number({ minimum: 0.001, maximum: 1e9 })
export type Gate = Static<typeof Gate>
const Gate = closed({
  id: Type.String({ minLength: 1, maxLength: 64 }),
  decision: { ...Nullable(Verdict), description: 'null where the gate did not answer, which denies' },
  lambda: Type.Optional(Share),
  latency_ms: Type.Optional(closed({ p50: Milliseconds, p95: Milliseconds })),
  p_false_block: Type.Optional(Share),
})
const Compose = closed({
  gates: Type.Optional(Type.Array(Gate, { minItems: 1, maxItems: 32 })),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 8192, description: 'in place of gates: run through the live gates' }),
  ),
  mode: Type.Optional(Type.Enum(['series', 'parallel'], { default: 'series' })),
})
const Composed = closed({
  decision: Verdict,
  forcing_gates: Texts,
  minimal_change: Texts,
  unanswered: Texts,
  lambda: Nullable(
    closed({
      value: Type.Number(),
      status: Type.Literal(LAMBDA.status),
      is_theorem: Type.Literal(false),
      below_floor: Type.Boolean(),
    }),
  ),
  latency: Nullable(closed({ p50: Type.Number(), p95: Type.Number() })),
  block_rate: Nullable(closed({ value: Share, low: Share, high: Share })),
  contribution: Type.Array(
    closed({
      id: Type.String(),
      /** What the others come to. */
      decision_without: Verdict,
      p95_ms: Nullable(Type.Number()),
      block_rate: Nullable(Type.Number()),
    }),
  ),
  gates: Type.Optional(Type.Array(closed({ id: Type.String(), decision: Nullable(Verdict) }))),
})

const EQUATION =
  'decision = min over deny < review < allow; lambda = min(0.97, (prod lambda)^(1/n)), advisory; series latency: the constant times plus the lognormal with the mean and variance of the sum of the others (Fenton-Wilkinson), at least the percentile of their slowest; parallel latency: prod F_i(x) = p; block rate = 1 - prod(1 - p_i)'
const COEFFICIENTS = [
  constant('trust_ceiling', LAMBDA.trust_ceiling, `${LAMBDA.status}, never a theorem`),
  constant('z95', Z95, 'the 95% quantile of the standard normal distribution'),
]
const INDEPENDENT = {
  code: 'INDEPENDENCE',
  detail: 'latencies and the block rate are those of independent gates; the interval holds whatever their dependence',
}
const APPROXIMATE = {
  code: 'APPROXIMATE_SERIES',
  detail:
    'the sum of several varying latencies is no lognormal: its percentiles are approximate, and far off where one gate varies much more than the others; they are at least those of the slowest gate',
}
const UNSTATED = {
  code: 'NOT_STATED',
  detail: 'lambda, latency or block rate is null where not every gate states its own: none was made up',
}

interface Needs {
  gates: Pick<Gates, 'examine' | 'rules'>
  policies: Policies
}

export const lattice = (needs: Needs): Organ => ({
  id: 'N5',
  version: '1.1.0',
  dependsOn: ['N3', 'N23', 'N25'],
  ops: {
    compose: op({
      summary: 'The joint decision of gates, what forces it, and their joint latency and block rate',
      request: Compose,
      result: Composed,
      isolation: 'inline, a long text in a gate thread',
      deadlineMs: 1000,
      maxWork: 32,
      estimate: ({ gates }) => gates?.length ?? LIVE,
      check: faultsOf,
      async run({ gates, text, mode = 'series' }, context) {
        const live = gates === undefined ? await liveGates(needs, text!, context) : null
        const all = gates ?? live!.gates
        const composed = compose(all, mode)
        const { block_rate, lambda, latency } = composed
        const isWhole = block_rate !== null && lambda !== null && latency !== null
        return {
          result: { ...composed, ...(live === null ? {} : { gates: live.gates }) },
          limits: [
            INDEPENDENT,
            ...(latency !== null && isApproximate(all, mode) ? [APPROXIMATE] : []),
            ...(isWhole ? [] : [UNSTATED]),
          ],
          evidence: {
            inputs: live === null ? all.map(({ id }) => ({ name: id, source: 'CALLER' })) : live.inputs,
            interval: { low: block_rate?.low ?? null, high: block_rate?.high ?? null, meaning: MEANING },
          },
          ...(live !== null && composed.unanswered.length > 0 ? { volatile: 'a live gate did not answer' } : {}),
        }
      },
    }),
  },
  fromPrompt: (prompt) => ({ op: 'compose', text: prompt }),
  example,
  evidence: { equation: EQUATION, coefficients: COEFFICIENTS },
})

const MEANING = 'block rate: no dependence between the gates can lead out of it (Frechet)'
const LIVE = 3

function constant(name: string, value: number, source: string) {
  return { name, value, low: value, high: value, source }
}

/** The guard, the rails and the policies as they decide now. One that fails has not answered. */
async function liveGates({ gates, policies }: Needs, text: string, context: RunContext) {
  const inputs: Record<string, unknown>[] = []
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const begun = context.micros()
    const value = await work()
    inputs.push({ name, source: 'live', wall_us: context.micros() - begun })
    return value
  }
  const guard = await timed('guard', () => screenText(gates, text, 'input'))
  const turns = [{ role: 'user' as const, text }]
  const conversation = { rails: PLAIN, profile: 'default' as const, matched: [], gates }
  const rails = await timed('rails', () => judgeTurns(turns, conversation, context))
  const rank = guard.examination?.sensitivity.rank ?? 3
  const policy = await timed('policy', async () =>
    authorize(policies, textQuestion({ owner: context.caller.owner, namespace: context.caller.namespace }, rank)),
  )
  const found: Gate[] = [
    { id: 'guard', decision: guard.faults.length > 0 ? null : guard.action },
    { id: 'rails', decision: rails.faults.length > 0 ? null : rails.judged[0]!.action },
    { id: 'policy', decision: policy.errors.length > 0 ? null : policy.outcome },
  ]
  return { gates: found, inputs }
}

function faultsOf({ gates, text }: Static<typeof Compose>): RequestFault[] {
  if ((gates === undefined) === (text === undefined))
    return [{ place: ['gates'], message: 'give either gates or text' }]
  return (gates ?? []).flatMap(({ id, latency_ms }, at) => [
    ...(gates!.findIndex((other) => other.id === id) < at
      ? [{ place: ['gates', at, 'id'], message: 'is there twice' }]
      : []),
    ...(latency_ms !== undefined && latency_ms.p95 < latency_ms.p50
      ? [{ place: ['gates', at, 'latency_ms', 'p95'], message: 'must not be below p50' }]
      : []),
  ])
}
