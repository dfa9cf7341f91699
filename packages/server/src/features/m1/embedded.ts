/** The embedded model as the table of model targets asks for it. */
import type { ChatFailure, EmbeddedModel } from '../../adapters/models/contract.ts'
import type { M1 } from './contract.ts'
import type { GeneratedToken } from './model/generate.ts'
import { ModelRefusal, PromptTooLong } from './refusal.ts'

const CONTEXT_TOKENS = 512
const ANSWER_TOKENS = 128

/** Whether its files are what they should be is asked for every text. A question is read whole or not at all. */
export function embeddedModel(m1: M1): EmbeddedModel {
  return {
    contextTokens: CONTEXT_TOKENS,
    answerTokens: ANSWER_TOKENS,
    async continueText({ maxTokens, ...asked }, options) {
      try {
        const request = { ...asked, maxNewTokens: maxTokens, topK: 0, topLogprobs: asked.topLogprobs ?? 0 }
        const { inference, tokens: made } = await m1.infer(request, { ...options, waits: true, mayCut: false })
        const { text, finish_reason, prompt_tokens, completion_tokens } = inference
        const isWhole = finish_reason !== 'length'
        const tokens = asked.topLogprobs === null ? null : within(text, made, finish_reason === 'stop')
        return { ok: true, text, isWhole, promptTokens: prompt_tokens, completionTokens: completion_tokens, tokens }
      } catch (error) {
        // Whoever leaves gives a reason of his own.
        return options.signal.aborted ? { ok: false, code: 'ABORTED', status: null } : failureOf(error)
      }
    },
  }
}

/** The tokens of the text, without those that a stop string cut off. */
function within(text: string, tokens: readonly GeneratedToken[], isCut: boolean): readonly GeneratedToken[] {
  if (!isCut) return tokens
  const size = Buffer.byteLength(text)
  let length = 0
  return tokens.filter(({ bytes }) => {
    length += bytes.length
    return length <= size
  })
}

/** What the model or its thread refuses has a code; anything else is our own fault and goes on. */
function failureOf(error: unknown): ChatFailure {
  if (error instanceof ModelRefusal) return { ok: false, code: error.code.toUpperCase(), status: null }
  if (error instanceof PromptTooLong) return { ok: false, code: 'PROMPT_TOO_LONG', status: 400 }
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name !== 'ComputeError' || typeof code !== 'string') throw error
  const isLate = code === 'deadline_exceeded' || code === 'wait_exceeded'
  return { ok: false, code: isLate ? 'RESPONSE_DEADLINE' : code.toUpperCase(), status: null }
}
