/** The embedded model as a target among the others: it is asked with the body of a chat completion and answers with one.
 *  It continues text and was taught no roles, so the texts of the messages are what it reads, one after the other. */
import type { Clock } from '../../ports.ts'
import { ChatStreamBroken } from './chat-call.ts'
import type {
  ChatCall,
  ChatFailure,
  ChatStream,
  EmbeddedModel,
  MadeText,
  TargetState,
  TokenChance,
} from './contract.ts'
import { TargetRecord } from './target-record.ts'

const TIMEOUT_MS = 30_000
const DEFAULT_TOKENS = 64

type Completed = { ok: true; value: Record<string, unknown> & { choices: [Choice]; usage: unknown }; latencyMs: number }
interface Choice {
  index: 0
  message: { role: 'assistant'; content: string }
  logprobs: { content: object[] } | null
  finish_reason: 'stop' | 'length'
}

export class EmbeddedTarget {
  readonly id = 'm1'
  readonly #model: EmbeddedModel | null
  readonly #record: TargetRecord

  /** Null where the model is not part of this build: it is listed, so that a caller learns why it does not answer. */
  constructor(model: EmbeddedModel | null, clock: Clock) {
    this.#model = model
    this.#record = new TargetRecord(clock)
  }

  state(): TargetState {
    const model = this.#model
    return {
      ...{ id: this.id, model: this.id, zone: 'local', tier: 0, embedded: true, breaker: 'closed' },
      contextTokens: model?.contextTokens ?? 0,
      ...(model === null ? {} : { answerTokens: model.answerTokens }),
      timeoutMs: model === null ? 0 : TIMEOUT_MS,
      absent: model === null ? 'MODEL_ABSENT' : null,
      ...this.#record,
      durationsMs: this.#record.durationsMs,
    }
  }

  complete(call: ChatCall, signal: AbortSignal): Promise<Completed | ChatFailure> {
    return this.#ask(call, signal)
  }

  /** Resolves when the first of the text is there, or all of it. */
  async stream(call: ChatCall, signal: AbortSignal): Promise<ChatStream | ChatFailure> {
    const reader = new AbortController()
    const begun = Promise.withResolvers<null>()
    let queue: ReadableStreamDefaultController<string>
    const texts = new ReadableStream<string>({
      start: (controller) => {
        queue = controller
      },
      cancel: () => reader.abort(),
    })
    const answer = this.#ask(call, AbortSignal.any([signal, reader.signal]), (text) => {
      if (reader.signal.aborted) return
      queue.enqueue(text)
      begun.resolve(null)
    }).finally(() => reader.signal.aborted || queue.close())
    const first = await Promise.race([begun.promise, answer])
    return first === null || first.ok ? { ok: true, chunks: chunksOf(texts, answer) } : first
  }

  async #ask({ body, deadlineMs }: ChatCall, signal: AbortSignal, tell?: (text: string) => void) {
    if (this.#model === null) return failed('MODEL_ABSENT')
    if (typeof body.n === 'number' && body.n > 1) return failed('ONE_CHOICE_ONLY', 400)
    const limit = AbortSignal.timeout(Math.max(1, Math.min(deadlineMs, TIMEOUT_MS)))
    const end = this.#record.begin()
    try {
      const options = { signal: AbortSignal.any([signal, limit]), ...(tell && { tell }) }
      const given = await this.#model.continueText(requestOf(body, this.#model), options)
      if (given.ok) return this.#completed(given, end(null))
      const code = signal.aborted ? 'ABORTED' : limit.aborted ? 'RESPONSE_DEADLINE' : given.code
      end(code)
      return failed(code, given.status)
    } finally {
      // Where it was ended already this says nothing.
      end('INTERNAL')
    }
  }

  #completed({ text, isWhole, promptTokens, completionTokens, tokens }: MadeText, latencyMs: number): Completed {
    const message = { role: 'assistant', content: text } as const
    const logprobs =
      tokens === null
        ? null
        : { content: tokens.map(({ top, ...token }) => ({ ...chanceOf(token), top_logprobs: top.map(chanceOf) })) }
    const choice: Choice = { index: 0, message, logprobs, finish_reason: isWhole ? 'stop' : 'length' }
    const total_tokens = promptTokens + completionTokens
    const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens }
    return { ok: true, value: { model: this.id, choices: [choice], usage }, latencyMs }
  }
}

const PLACES = 1e6
const chanceOf = ({ text, bytes, logprob }: TokenChance) => ({
  token: text,
  logprob: Math.round(logprob * PLACES) / PLACES,
  bytes,
})

const failed = (code: string, status: number | null = null): ChatFailure => ({ ok: false, code, status })

async function* chunksOf(texts: ReadableStream<string>, answer: Promise<Completed | ChatFailure>) {
  const model = 'm1'
  for await (const content of texts) yield { model, choices: [{ index: 0, delta: { content } }] }
  const end = await answer
  if (!end.ok) throw new ChatStreamBroken(end.code)
  const { choices, usage } = end.value
  yield { model, choices: [{ index: 0, delta: {}, finish_reason: choices[0].finish_reason }] }
  yield { model, choices: [], usage }
}

/** The body is the caller's own: what is not of the expected kind is not there. */
function requestOf(body: Record<string, unknown>, { answerTokens }: EmbeddedModel) {
  const number = (value: unknown, other: number): number => (typeof value === 'number' && value >= 0 ? value : other)
  const asked = number(body.max_completion_tokens, number(body.max_tokens, DEFAULT_TOKENS))
  const stops = (Array.isArray(body.stop) ? body.stop : [body.stop]).filter(
    (stop): stop is string => typeof stop === 'string' && stop !== '',
  )
  return {
    prompt: promptOf(body.messages),
    maxTokens: Math.max(1, Math.min(asked, answerTokens)),
    temperature: number(body.temperature, 0),
    topP: Math.min(1, number(body.top_p, 1)),
    seed: Number.isSafeInteger(body.seed) ? (body.seed as number) : 0,
    stop: stops.slice(0, 4),
    topLogprobs: body.logprobs === true ? number(body.top_logprobs, 0) : null,
  }
}

const promptOf = (messages: unknown): string =>
  (Array.isArray(messages) ? messages : [])
    .map((message) => textOf((message as { content?: unknown } | null)?.content))
    .filter((text) => text !== '')
    .join('\n')

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (Array.isArray(content) ? content : []).map((part) => textOf((part as { text?: unknown } | null)?.text)).join('')
