/** From an allowed request to an examined answer. Happens once, however often the rest is decided again. */

import type { TargetState } from '../../adapters/models/contract.ts'
import type { DecisionOutcome, Examined } from '../../governance/contract.ts'
import type { Call } from '../../operation.ts'
import { type Attempt, type Generation, type JudgePart, NOTHING } from './generation.ts'
import { type Inquiry, outputRequest } from './inquiry.ts'
import { type Completion, outputRest, outputText } from './rules/completion.ts'
import { candidatesOf, failoverOf, routeOf } from './rules/routing.ts'
import type { Route, Usage } from './schemas.ts'
import type { Deps, Judged, Settled, Waiting } from './settle.ts'

export interface Steps {
  settle(waiting: Waiting | null): Promise<Settled>
  generate(attempt: Attempt, judge: JudgePart): Promise<Generation>
  streamed: boolean
}

export async function routeFor(deps: Deps, inquiry: Inquiry, { decision, view }: Judged): Promise<Route> {
  const { effort, named, input, maxTokens } = inquiry
  const targets = deps.upstreams.targets()
  const tokens = maxTokens + (await promptTokens(deps, input.text, roomOf(candidatesOf(targets, named), maxTokens)))
  const { owner, namespace } = input.caller
  const ask = { owner, namespace, rank: view.sensitivity.rank, effort, named, tokens, answerTokens: maxTokens }
  const route = routeOf(targets, ask, deps.policies.authorize)
  return decision === 'allow' ? route : { ...route, chosen: null }
}

/** What is left for a prompt where the least of it is left. The embedded model counts where nobody else can answer: a
 *  prompt is not counted exactly for the one that comes last. */
function roomOf(candidates: readonly TargetState[], maxTokens: number): number {
  const present = candidates.filter(({ absent }) => absent === null)
  const others = present.filter(({ embedded }) => !embedded)
  const counted = others.length > 0 ? others : present
  return Math.min(
    ...counted.map(({ contextTokens, answerTokens = maxTokens }) => contextTokens - Math.min(maxTokens, answerTokens)),
  )
}

/** A token is at least a byte: what fits by its bytes is not counted. */
const promptTokens = async ({ upstreams }: Deps, text: string, room: number): Promise<number> =>
  text.length * 3 <= room ? text.length : upstreams.countTokens(text)

export interface Answered {
  generation: Generation
  fromReview: boolean
  usage: Usage
  examined: Examined | null
}

/** Of a request that went nowhere. */
export const NO_ANSWER: Answered = {
  generation: NOTHING,
  fromReview: false,
  usage: { prompt_tokens: null, completion_tokens: null, source: null },
  examined: null,
}

export interface Answering {
  input: Judged
  route: Route
  waiting: Waiting | null
  steps: Steps
}

export async function answered(deps: Deps, call: Call, inquiry: Inquiry, asked: Answering): Promise<Answered> {
  const { input, waiting } = asked
  const reviewId = answerReview(inquiry, input, waiting)
  const generation = waiting === null ? await generationOf(deps, call, inquiry, asked) : approvedGeneration(waiting)
  const { completion, resolved } = generation
  const floor = input.view.sensitivity.class
  const examined =
    completion === null || input.decision !== 'allow'
      ? null
      : await deps.governance.examine(
          outputRequest(
            inquiry,
            { text: outputText(completion), context: outputRest(completion, resolved) },
            floor,
            reviewId,
          ),
        )
  const usage = await usageOf(deps, inquiry, completion)
  return { generation, fromReview: waiting !== null, usage, examined }
}

/** Names no review: an approval that is sent along and does not cover this answer. */
const STALE_REVIEW = 'stale'

/** An approval of an answer is good for the answer that was kept, once, and for no other that the target may give now.
 *  One that let the request itself through says nothing of the answer. */
function answerReview({ input: { reviewId } }: Inquiry, { approvedBy }: Judged, waiting: Waiting | null) {
  if (waiting !== null) return reviewId
  return reviewId === null || reviewId === approvedBy ? null : STALE_REVIEW
}

const approvedGeneration = ({ completion, target, resolved }: Waiting): Generation => ({
  ...NOTHING,
  shortfall: null,
  completion,
  target,
  resolved,
})

async function generationOf(deps: Deps, call: Call, inquiry: Inquiry, { input, route, steps }: Answering) {
  if (route.chosen === null) return NOTHING
  const targets = deps.upstreams.targets()
  const order = [route.chosen, failoverOf(route, targets, input.view.sensitivity.rank)]
  const { upstreams, clock } = deps
  const asked = order.flatMap((id) => targets.find((target) => target.id === id) ?? [])
  return steps.generate(
    { upstreams, clock, inquiry, targets: asked, signal: patientSignal(call) },
    judging(deps, inquiry, input),
  )
}

/** A client that named its request will come back for the answer, and a target is asked once for each name: it goes on
 *  without the client. Any other answer nobody waits for is not made. */
const patientSignal = ({ headers, signal }: Pick<Call, 'headers' | 'signal'>): AbortSignal =>
  headers['idempotency-key'] === undefined ? signal : new AbortController().signal

/** A part of the answer is judged as the whole will be; nothing is charged or queued for it. */
const judging =
  ({ governance }: Deps, inquiry: Inquiry, input: Judged): JudgePart =>
  async (text) => {
    const floor = input.view.sensitivity.class
    const examined = await governance.examine(outputRequest(inquiry, { text, context: undefined }, floor, null))
    const { decision } = await governance.decide(examined, { dryRun: true })
    return { ...decision, findings: examined.examination.findings }
  }

async function usageOf({ upstreams }: Deps, { input }: Inquiry, completion: Completion | null): Promise<Usage> {
  if (completion === null) return NO_ANSWER.usage
  if (completion.usage !== null) return { ...completion.usage, source: 'upstream' }
  const [prompt_tokens, completion_tokens] = await Promise.all(
    [input.text, outputText(completion)].map((text) => upstreams.countTokens(text)),
  )
  return { prompt_tokens: prompt_tokens!, completion_tokens: completion_tokens!, source: 'counted' }
}

export async function judgedAnswer(
  { governance }: Deps,
  { request }: Inquiry,
  input: Judged,
  { examined, generation }: Answered,
): Promise<DecisionOutcome | null> {
  if (examined === null) return null
  const { completion, target, resolved } = generation
  const answer = { completion, target, resolved, approvedBy: input.approvedBy }
  return governance.decide(examined, { payload: { request, held: answer } })
}
