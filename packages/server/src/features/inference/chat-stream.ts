/** A chat completion as the chunks an OpenAI client reads. */
import type { Channel } from './channel.ts'
import { type ChatOutcome, createdAt, idOf, orchOf, usageOf } from './chat-reply.ts'
import type { Settled } from './settle.ts'
import { failureOf, PING, type Piece } from './stream.ts'

export interface Chat {
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
