/** The answer in the words of an OpenAI client. */
import { explainAll } from '@orch/core'
import type { receiptSummary } from '../../domain/receipt-view.ts'
import { ERRORS, type ErrorCode, ServiceError } from '../../errors.ts'
import type { Call, Refused } from '../../operation.ts'
import { NO_ANSWER } from './answering.ts'
import { type Outcome, outcomeOf } from './flow.ts'
import type { Inquiry } from './inquiry.ts'
import type { Completion } from './rules/completion.ts'
import type { ChatReply } from './schemas.ts'
import type { Settled } from './settle.ts'
import { type Channel, failureOf, PING, type Piece } from './stream.ts'

type Summary = ReturnType<typeof receiptSummary>
export type ChatOutcome = Outcome & { receipt: Summary }

export const orchHeaders = (decision: string, receipt: Summary | null): Record<string, string> =>
  receipt === null
    ? {}
    : { 'x-orch-receipt': receipt.digest, 'x-orch-decision': decision, 'x-orch-verify': receipt.verify_url }

/** The receipt that says what the header says: where the answer was decided otherwise than the request, its own. */
export const headersOf = ({ decision, input, decisionReceipt, receipt }: ChatOutcome) =>
  orchHeaders(decision, decision === input.decision ? decisionReceipt : receipt)

/** A denial that the client wants as an answer. */
export const isRefusal = ({ decision }: Outcome, { headers }: Pick<Call, 'headers'>): boolean =>
  decision === 'deny' && headers['x-orch-on-deny'] === 'refusal'

/** What is told of a request that goes nowhere: its decision has the receipt. */
export const unaskedOutcome = (inquiry: Inquiry, settled: Settled, ts: string): ChatOutcome => {
  const route = { chosen: null, eligible: [], rejected: [] }
  const facts = { input: settled.judged, settled, route, answer: NO_ANSWER, output: null }
  return { ...outcomeOf(inquiry, facts, ts), receipt: settled.receipt! }
}

/** What the embedded model refuses is no failure of somebody else: it has the status it has where m1 is asked directly. */
const OWN: Readonly<Record<string, ErrorCode | undefined>> = {
  INFERENCE_SLOT_BUSY: 'inference_slot_busy',
  PROMPT_TOO_LONG: 'context_length_exceeded',
  MODEL_GATE_BLOCKED: 'model_gate_blocked',
  MODEL_UNAVAILABLE: 'model_unavailable',
}

/** Nobody could be asked because nobody reads as much. */
const isTooLong = ({ route: { rejected }, generation }: Outcome): boolean =>
  generation.shortfall === 'NO_TARGET' &&
  rejected.length > 0 &&
  rejected.every(({ why }) => why.includes('PROMPT_TOO_LONG'))

/** Throws what a client has to be told in place of an answer. */
export function assertReleased(outcome: ChatOutcome): void {
  const headers = headersOf(outcome)
  const extra = { receipt: outcome.receipt.digest }
  if (outcome.decision === 'deny') throw denied(outcome.reasons, headers, extra)
  if (outcome.decision === 'review') throw reviewRequired(outcome, headers, extra)
  const { shortfall, code, status } = outcome.generation
  if (shortfall === null) return
  const upstream = { status, code, target: outcome.generation.target }
  const more = { headers, extra: { ...extra, upstream } }
  const own = isTooLong(outcome) ? 'context_length_exceeded' : OWN[code ?? '']
  if (own !== undefined) {
    const retry: Record<string, string> = own === 'inference_slot_busy' ? { 'retry-after': '1' } : {}
    throw new ServiceError(own, ERRORS[own].meaning, { ...more, headers: { ...headers, ...retry } })
  }
  if (shortfall === 'NO_TARGET') throw new ServiceError('no_target', 'no permitted model target is available', more)
  if (shortfall === 'TARGET_TIMEOUT')
    throw new ServiceError('upstream_timeout', 'the target did not answer in time', more)
  throw new ServiceError('upstream_failed', `the target failed${status === null ? '' : ` with status ${status}`}`, more)
}

function denied(reasons: readonly string[], headers: Record<string, string>, extra: object): ServiceError {
  const explanations = explainAll(reasons)
  const sentences = explanations.map(({ code, sentence }) => `${code}: ${sentence}`).join(' ')
  return new ServiceError('denied_by_gate', `refused by policy. ${sentences}`, {
    headers,
    extra: { ...extra, reasons, explanations },
  })
}

function reviewRequired(outcome: ChatOutcome, headers: Record<string, string>, extra: object): ServiceError {
  const { review } = outcome.output ?? outcome.input
  const { reasons } = outcome
  return new ServiceError('review_required', 'a person decides first; then send the same body with x-orch-review', {
    headers: { ...headers, 'retry-after': '30' },
    extra: {
      ...extra,
      reasons,
      explanations: explainAll(reasons),
      review_id: review?.review_id ?? null,
      review_url: review?.url ?? null,
    },
  })
}

/** Known before the answer is: named after the decision. */
const idOf = (receipt: Summary | null): string => `chatcmpl-${(receipt?.digest ?? 'none').slice(0, 32)}`
const createdAt = (ts: string): number => Math.floor(Date.parse(ts) / 1000)
const modelOf = ({ model }: Outcome): string => model.returned ?? model.resolved ?? model.requested ?? 'unknown'

const usageOf = ({ usage: { prompt_tokens, completion_tokens } }: Outcome) =>
  prompt_tokens === null || completion_tokens === null
    ? null
    : { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }

const orchOf = (outcome: ChatOutcome) => ({
  decision: outcome.decision,
  reasons: outcome.reasons,
  explanations: explainAll(outcome.reasons),
  review: (outcome.output ?? outcome.input).review,
  decision_receipt: outcome.decisionReceipt,
  receipt: outcome.receipt,
  model: outcome.model,
  usage: outcome.usage,
  served_by: outcome.completion === null ? null : outcome.generation.target,
  instead_of: outcome.generation.insteadOf,
  aborted: outcome.generation.aborted,
})

/** A denial as an answer without content, for clients that asked for it. */
const REFUSED: Completion['choices'] = [
  { index: 0, content: null, refusal: null, toolCalls: [], finishReason: 'content_filter' },
]

export const chatReply = (outcome: ChatOutcome): ChatReply => ({
  id: idOf(outcome.decisionReceipt),
  object: 'chat.completion',
  created: createdAt(outcome.ts),
  model: modelOf(outcome),
  choices: (outcome.completion?.choices ?? REFUSED).map(
    ({ index, content, refusal, toolCalls, finishReason, logprobs = null }) => ({
      index,
      message: {
        role: 'assistant',
        content,
        refusal,
        ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
      },
      logprobs: logprobs as ChatReply['choices'][number]['logprobs'],
      finish_reason: finishReason,
    }),
  ),
  usage: usageOf(outcome),
  orch: orchOf(outcome),
})

const TYPES: Readonly<Record<string, string>> = {
  denied_by_gate: 'policy_denied',
  review_required: 'policy_review',
  rate_limited: 'rate_limit_error',
  inference_slot_busy: 'rate_limit_error',
}

/** Every refusal in the shape these clients read; what the house adds stays beside it. */
export function openAiRefusal(refusal: Refused, _error: unknown, requestId: string): Refused {
  const body = refusal.body as { error?: Record<string, unknown>; detail?: { loc: unknown[]; msg: string }[] }
  const first = body.detail?.[0]
  const reported = body.error ?? { message: first?.msg ?? 'the request does not fit', code: 'invalid_request' }
  const fallback = refusal.status < 500 ? 'invalid_request_error' : 'server_error'
  const param = first === undefined ? null : first.loc.slice(1).join('.') || null
  const error = { ...reported, type: TYPES[refusal.code] ?? fallback, param, request_id: requestId }
  return { ...refusal, body: { ...body, error } }
}

interface Chat {
  settled: Settled
  requestedModel: string
  /** The client wants to be told the usage. */
  usage: boolean
  requestId: string
  startedAt: string
}

const dataOf = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const DONE = 'data: [DONE]\n\n'

/** The first piece that tells how it goes, so that a failure before it can still have a status of its own. */
export async function firstPiece(channel: Channel<Piece>): Promise<Piece> {
  for (;;) {
    const piece = await channel.next()
    if (piece === null) throw new Error('the stream ended without an outcome')
    if (piece !== 'ping') return piece
  }
}

export async function* chatEvents(first: Piece, channel: Channel<Piece>, chat: Chat): AsyncGenerator<string> {
  const chunk = chunksOf(chat, first)
  yield chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
  for (let piece: Piece | 'ping' | null = first; piece !== null; piece = await channel.next()) {
    if (piece === 'ping') yield PING
    else if (piece.kind === 'delta') yield chunk([contentOf(0, piece.text)])
    else if (piece.kind === 'failed')
      yield dataOf({ error: { ...failureOf(piece.error, chat.requestId), type: 'server_error', param: null } })
    else if (piece.kind === 'done') yield* lastChunks(piece, chat, chunk)
  }
}

type Chunk = (choices: object[], more?: object) => string

function chunksOf({ settled, requestedModel, startedAt }: Chat, first: Piece): Chunk {
  const served = first.kind === 'begun' ? first.target.model : null
  const facts = {
    id: idOf(settled.receipt),
    object: 'chat.completion.chunk',
    created: createdAt(startedAt),
    model: served ?? requestedModel,
  }
  return (choices, more = {}) => dataOf({ ...facts, choices, ...more })
}

const contentOf = (index: number, content: string) => ({ index, delta: { content }, finish_reason: null })

function* lastChunks(
  { outcome, rest }: { outcome: ChatOutcome; rest: string },
  chat: Chat,
  chunk: Chunk,
): Generator<string> {
  if (rest !== '') yield chunk([contentOf(0, rest)])
  for (const choice of outcome.completion?.choices ?? []) {
    const { index, content, refusal, toolCalls } = choice
    if (index > 0 && content !== null) yield chunk([contentOf(index, content)])
    if (refusal !== null) yield chunk([{ index, delta: { refusal }, finish_reason: null }])
    if (toolCalls.length > 0) {
      const tool_calls = toolCalls.map((call, at) => ({ index: at, ...call }))
      yield chunk([{ index, delta: { tool_calls }, finish_reason: null }])
    }
  }
  const { shortfall } = outcome.generation
  if (outcome.decision === 'allow' && shortfall !== null) return void (yield dataOf(brokenOff(outcome, chat)))
  yield chunk(endings(outcome))
  yield chunk([], { ...(chat.usage ? { usage: usageOf(outcome) } : {}), orch: orchOf(outcome) })
  yield DONE
}

/** Every stream ends with a reason, also one of a target that said nothing. */
function endings({ completion, decision }: ChatOutcome): object[] {
  const isReleased = decision === 'allow' && completion !== null
  const finished = isReleased ? completion.choices : []
  if (finished.length === 0) return [{ index: 0, delta: {}, finish_reason: isReleased ? 'stop' : 'content_filter' }]
  return finished.map(({ index, finishReason }) => ({ index, delta: {}, finish_reason: finishReason ?? 'stop' }))
}

/** No [DONE]: what ends here was not finished. */
const brokenOff = (outcome: ChatOutcome, { requestId }: Chat) => ({
  error: {
    message: 'the target broke off; the answer is not complete',
    type: 'server_error',
    param: null,
    code: outcome.generation.shortfall === 'TARGET_TIMEOUT' ? 'upstream_timeout' : 'upstream_failed',
    upstream: { status: outcome.generation.status, code: outcome.generation.code },
    request_id: requestId,
  },
  orch: orchOf(outcome),
})
