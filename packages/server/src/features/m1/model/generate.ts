/** A continuation of a text: what the model wrote, what it thought of each token, and why it ended. */
import { type Model, Session } from './forward.ts'
import { chooseToken, logProbabilities, type SamplingRules } from './sampling.ts'
import type { Tokenizer } from './tokenizer.ts'

export interface GenerationRequest extends SamplingRules {
  prompt: string
  maxNewTokens: number
  topLogprobs: number
  stop: readonly string[]
}

export interface GeneratedToken {
  id: number
  text: string
  /** A token may be a part of a character, which no text shows. */
  bytes: number[]
  logprob: number
  top: { id: number; text: string; bytes: number[]; logprob: number }[]
}

export interface Generation {
  text: string
  tokens: GeneratedToken[]
  finishReason: 'length' | 'stop' | 'end'
  promptTokens: number
  promptTruncated: boolean
  /** Of the prompt as it was read; null where there was nothing to predict. */
  promptBitsPerByte: number | null
}

export function generate(
  model: Model,
  tokenizer: Tokenizer,
  request: GenerationRequest,
  uniform: () => number,
  tell: (text: string) => void = () => undefined,
): Generation {
  const { maxNewTokens, stop, topLogprobs } = request
  const whole = tokenizer.encode(request.prompt)
  const prompt = whole.slice(-roomFor(model, maxNewTokens))
  const session = new Session(model, prompt.length + 1 + maxNewTokens)
  const rows = session.take([0, ...prompt])
  const { vocabulary } = model.config
  let logits: Float64Array = rows.slice(-vocabulary)
  const tokens: GeneratedToken[] = []
  let finishReason: Generation['finishReason'] = 'length'
  let text = ''
  let emitted = 0
  const tellUntil = (end: number) => {
    if (end > emitted) tell(text.slice(emitted, end))
    emitted = Math.max(emitted, end)
  }
  while (tokens.length < maxNewTokens) {
    const { id, logprob, top } = chooseToken(logits, request, uniform, topLogprobs)
    if (id === 0) {
      finishReason = 'end'
      break
    }
    const seen = (token: number) => ({ text: tokenText(tokenizer, token), bytes: [...tokenizer.bytesOf(token)] })
    tokens.push({ id, ...seen(id), logprob, top: top.map((each) => ({ ...each, ...seen(each.id) })) })
    text = tokenizer.decode(tokens.map((token) => token.id))
    const cut = firstStop(text, stop)
    if (cut !== null) {
      text = text.slice(0, cut)
      finishReason = 'stop'
      break
    }
    tellUntil(text.length - heldBack(text, stop))
    if (tokens.length < maxNewTokens) logits = session.take([id])
  }
  tellUntil(text.length)
  return {
    ...{ text, tokens, finishReason },
    promptTokens: prompt.length,
    promptTruncated: prompt.length < whole.length,
    promptBitsPerByte: bitsPerByte(tokenizer, prompt, rows, vocabulary),
  }
}

/** Tokens that a prompt may have. The end of the text before is what every text of the training began with. */
export const roomFor = ({ config }: Model, maxNewTokens: number): number => config.context - maxNewTokens - 1

/** How much of the end may yet turn out to be the beginning of a stop string. */
function heldBack(text: string, stop: readonly string[]): number {
  const longest = Math.max(0, ...stop.map((each) => each.length - 1))
  for (let length = Math.min(longest, text.length); length > 0; length--)
    if (stop.some((each) => each.startsWith(text.slice(-length)))) return length
  return 0
}

/** Where the earliest of the stop strings begins; null where none of them occurs. */
function firstStop(text: string, stop: readonly string[]): number | null {
  const places = stop.map((each) => text.indexOf(each)).filter((place) => place >= 0)
  return places.length === 0 ? null : Math.min(...places)
}

/** A token may be a part of a character: such bytes are shown as the replacement character, as every reader would. */
const tokenText = (tokenizer: Tokenizer, id: number): string =>
  id === 0 ? '<|end|>' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(tokenizer.bytesOf(id))

/** Negative log2 likelihood of these tokens after the start of a text, over the bytes they stand for. */
function bitsPerByte(tokenizer: Tokenizer, tokens: readonly number[], rows: Float64Array, vocabulary: number) {
  let [bits, bytes] = [0, 0]
  for (const [at, token] of tokens.entries()) {
    const logprobs = logProbabilities(rows.subarray(at * vocabulary, (at + 1) * vocabulary))
    bits -= logprobs[token]! / Math.LN2
    bytes += tokenizer.bytesOf(token).length
  }
  return bytes === 0 ? null : bits / bytes
}

/** Summed negative log2 likelihood of a whole text in windows of the context, each but the first beginning with half a
 *  window that was scored already; and the bytes it is the likelihood of. */
export function scoreText(model: Model, tokenizer: Tokenizer, text: string): { bits: number; bytes: number } {
  const tokens = [0, ...tokenizer.encode(text)]
  const { context, vocabulary } = model.config
  const last = tokens.length - 1
  let [bits, scored, start] = [0, 0, 0]
  while (scored < last) {
    const end = Math.min(start + context, last)
    const rows = new Session(model).take(tokens.slice(start, end))
    for (let at = scored; at < end; at++) {
      const row = (at - start) * vocabulary
      bits -= logProbabilities(rows.subarray(row, row + vocabulary))[tokens[at + 1]!]! / Math.LN2
    }
    scored = end
    start = Math.max(start + 1, end - context / 2)
  }
  return { bits, bytes: Buffer.byteLength(text) }
}
