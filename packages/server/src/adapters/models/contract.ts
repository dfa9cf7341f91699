/** Language models as the operations see them: OpenAI-compatible targets of the operator, and the embedded model. */

export type Zone = 'local' | 'external'

/** Why a target cannot be called whatever it did before: its key is named and not there, the model is not part of this
 *  build, or the operator forbids outgoing requests. */
export type Absence = 'KEY_MISSING' | 'MODEL_ABSENT' | 'TRANSPORT_DISABLED'

/** Traits of a target as its operator states them. */
export interface DeclaredTraits {
  /** Each from 0 to 1, all three or none. */
  scores?: { quality: number; cost: number; latency: number }
  latencyMs?: number
  /** Answers with JSON where it is asked to. */
  json?: boolean
}

/** What is known of a target in this process. No field is a probe: all of it comes from calls that were made. */
export interface TargetState {
  id: string
  /** What the target is asked for; null passes on the model a caller names. */
  model: string | null
  zone: Zone
  /** 0 for the embedded model, 1 to 5 as the operator ranks them. */
  tier: number
  contextTokens: number
  /** The longest answer it gives, where that is less than a caller may ask for. */
  answerTokens?: number
  timeoutMs: number
  embedded: boolean
  absent: Absence | null
  /** What the operator says of it; nothing of this is measured. */
  declared?: DeclaredTraits
  /** `half_open`: one call may try whether it is back. */
  breaker: 'closed' | 'open' | 'half_open'
  inFlight: number
  /** Calls that ended, and how many of them failed. */
  calls: number
  errors: number
  lastSuccessAt: string | null
  lastErrorCode: string | null
  lastErrorAt: string | null
  lastCallAt: string | null
  /** Of the last 1024 calls that ended, oldest first, from a monotonic clock. */
  durationsMs: readonly number[]
}

export interface ChatCall {
  /** The body of a chat completion, `model` and `stream` included. Sent as it is. */
  body: Record<string, unknown>
  /** At most this long to the first byte, and to the end where nothing is streamed; never longer than the target's own.
   *  A shorter one that runs out says nothing against the target. */
  deadlineMs: number
}

/** `status` is what the target answered, where it answered. */
export interface ChatFailure {
  ok: false
  code: string
  status: number | null
}

export interface ChatAnswer {
  ok: true
  /** Strict JSON from outside; nothing more is known of it. */
  value: unknown
  latencyMs: number
}

export interface ChatStream {
  ok: true
  /** Chunks as they come, each strict JSON from outside. Ends with the stream; where it broke off it throws an error
   *  named `ChatStreamBroken` with a `code`. Leaving the loop ends the call. */
  chunks: AsyncIterable<unknown>
}

/** What the embedded model is asked for, whoever asks. */
interface TextRequest {
  prompt: string
  maxTokens: number
  temperature: number
  topP: number
  seed: number
  stop: readonly string[]
  /** How many alternatives are told for each token; null tells no log-probabilities. */
  topLogprobs: number | null
}

export interface TokenChance {
  text: string
  bytes: readonly number[]
  logprob: number
}

/** A text the embedded model made; `tokens` where log-probabilities were asked for. */
export interface MadeText {
  ok: true
  text: string
  isWhole: boolean
  promptTokens: number
  completionTokens: number
  tokens: readonly (TokenChance & { top: readonly TokenChance[] })[] | null
}

/** The embedded model. Texts are made one after the other; MUST NOT reject for what the model refuses. What is told as it is
 *  made is the text, from its first character to its last. */
export interface EmbeddedModel {
  contextTokens: number
  answerTokens: number
  continueText(
    request: TextRequest,
    options: { signal: AbortSignal; tell?: (text: string) => void },
  ): Promise<MadeText | ChatFailure>
}

/** MUST NOT reject for what a target does. A target is called where the caller says so and nowhere else: no retry, no
 *  redirect, no other address. Calls end when `signal` does. */
export interface Upstreams {
  targets(): readonly TargetState[]
  complete(id: string, call: ChatCall, signal: AbortSignal): Promise<ChatAnswer | ChatFailure>
  /** Resolves with the first chunk at hand. */
  stream(id: string, call: ChatCall, signal: AbortSignal): Promise<ChatStream | ChatFailure>
  /** Tokens of a public byte-pair vocabulary (`o200k_base`): an estimate for another model's own. */
  countTokens(text: string): Promise<number>
  close(): void
}
