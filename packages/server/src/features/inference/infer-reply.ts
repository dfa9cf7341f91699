/** The answer of a governed inference. */
import { agentOf } from '../../domain/decision/agent.ts'
import { explanationsOf } from '../../domain/decision/decision-view.ts'
import type { VerticalReading } from '../../domain/vertical.ts'
import type { Call } from '../../operation.ts'
import type { ChatOutcome } from './chat-reply.ts'
import { type Outcome, smallest } from './flow.ts'
import type { InferReply } from './schemas.ts'
import type { Settled } from './settle.ts'
import { type Channel, failureOf, PING, type Piece } from './stream.ts'

const ENERGY = { joules: null, label: 'UNAVAILABLE', reason: 'no meter was read for this request' } as const

interface InferReplyParts {
  outcome: Outcome
  domain: VerticalReading
  inputSource: Call['inputSource']
  dryRun: boolean
  streamed: boolean
  receipt: InferReply['receipt']
}

export function inferReply({ outcome, domain, inputSource, dryRun, streamed, receipt }: InferReplyParts): InferReply {
  const { input, output, completion, generation } = outcome
  const fired = [...new Set([...input.view.gates_fired, ...(output?.view.gates_fired ?? [])])]
  const answered = outcome.outputSha256 !== null
  return {
    schema: 'orch.inference/v1',
    ok: true,
    input_source: inputSource,
    dry_run: dryRun,
    domain,
    ...input.view,
    decision: outcome.decision,
    reasons: outcome.reasons,
    explanations: explanationsOf(outcome.reasons, [...input.view.findings, ...(output?.view.findings ?? [])]),
    gates_fired: fired,
    gates_passed: [...input.view.gates_fired, ...input.view.gates_passed].filter((gate) => !fired.includes(gate)),
    lambda: lowerLambda(outcome),
    ...agentOf({ agent: outcome.agent }),
    input_decision: { decision: input.view.decision, reasons: input.view.reasons },
    output_decision: output === null ? null : outputView(output),
    output_findings: output?.view.findings ?? [],
    answer: completion?.choices[0]?.content ?? null,
    withheld: outcome.withheld,
    released_chars: streamed ? outcome.releasedChars : null,
    served_by: answered ? generation.target : null,
    route: outcome.route,
    generation: {
      label: answered && !outcome.fromReview ? 'MEASURED' : 'UNAVAILABLE',
      reason: reasonOf(outcome, dryRun),
      code: generation.code,
      instead_of: generation.insteadOf,
      model: outcome.model,
      usage: outcome.usage,
      latency_ms: generation.latencyMs,
      ttft_ms: generation.ttftMs,
      finish_reason: outcome.finishReason,
      aborted: generation.aborted,
    },
    energy: ENERGY,
    review: (output ?? input).review,
    decision_receipt: outcome.decisionReceipt,
    receipt,
    label: 'MEASURED',
    ts: outcome.ts,
  }
}

function lowerLambda({ input, output }: Outcome) {
  const both = [input.view.lambda, ...(output === null ? [] : [output.view.lambda])]
  const value = smallest(both.map((lambda) => lambda?.value ?? null))
  return both.find((lambda) => lambda?.value === value) ?? null
}

const outputView = ({ view }: NonNullable<Outcome['output']>) => {
  const { decision, reasons, sensitivity, gates, stages, budget, lambda } = view
  return { decision, reasons, sensitivity, gates, stages, budget, lambda }
}

function reasonOf({ input, fromReview, generation }: Outcome, dryRun: boolean): InferReply['generation']['reason'] {
  if (input.decision !== 'allow') return 'NOT_ALLOWED'
  if (dryRun) return generation.shortfall === 'NO_TARGET' ? 'NO_TARGET' : 'DRY_RUN'
  return fromReview ? 'HELD_FOR_REVIEW_EARLIER' : generation.shortfall
}

const eventOf = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

export async function* inferEvents(
  channel: Channel<Piece>,
  { judged, receipt }: Settled,
  reply: (outcome: ChatOutcome) => object,
  requestId: string,
): AsyncGenerator<string> {
  const { decision, reasons, sensitivity, lambda } = judged.view
  yield eventOf('decision', { decision, reasons, sensitivity, lambda, review: judged.review, receipt })
  for (;;) {
    const piece = await channel.next()
    if (piece === null) return
    if (piece === 'ping') yield PING
    else yield eventsOf(piece, reply, requestId)
  }
}

function eventsOf(piece: Piece, reply: (outcome: ChatOutcome) => object, requestId: string): string {
  switch (piece.kind) {
    case 'begun':
      return ': answering\n\n'
    case 'delta':
      return eventOf('token', { delta: piece.text })
    case 'failed':
      return eventOf('error', failureOf(piece.error, requestId))
    case 'done':
      return endOf(piece, reply)
  }
}

function endOf({ outcome, rest }: Piece & { kind: 'done' }, reply: (outcome: ChatOutcome) => object): string {
  const token = rest === '' ? '' : eventOf('token', { delta: rest })
  const refused = outcome.output !== null && outcome.decision !== 'allow'
  const halt = refused ? eventOf('halt', { reasons: outcome.reasons, decision: outcome.decision }) : ''
  return `${token}${halt}${eventOf('done', reply(outcome))}`
}
