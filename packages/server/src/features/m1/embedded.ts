/** The embedded model as the table of model targets asks for it. */
import type { EmbeddedModel } from '../../adapters/models/contract.ts'
import type { M1 } from './contract.ts'
import { ModelRefusal } from './refusal.ts'

const CONTEXT_TOKENS = 512
const ANSWER_TOKENS = 128

/** Whether its files are what they should be is asked for every text. */
export function embeddedModel(m1: M1): EmbeddedModel {
  return {
    contextTokens: CONTEXT_TOKENS,
    answerTokens: ANSWER_TOKENS,
    async continueText({ maxTokens, ...asked }, signal) {
      try {
        const request = { ...asked, maxNewTokens: maxTokens, topK: 0, topLogprobs: 0 }
        const { inference } = await m1.infer(request, { signal, waits: true })
        const { text, finish_reason, prompt_tokens, completion_tokens } = inference
        const isWhole = finish_reason !== 'length'
        return { ok: true, text, isWhole, promptTokens: prompt_tokens, completionTokens: completion_tokens }
      } catch (error) {
        return { ok: false, code: codeOf(error), status: null }
      }
    },
  }
}

/** What the model or its thread refuses has a code; anything else is our own fault and goes on. */
function codeOf(error: unknown): string {
  if (error instanceof ModelRefusal) return error.code.toUpperCase()
  const { name, code } = error as { name?: unknown; code?: unknown }
  if (name === 'AbortError' || name === 'TimeoutError') return 'ABORTED'
  if (name === 'ComputeError' && typeof code === 'string') return code.toUpperCase()
  throw error
}
