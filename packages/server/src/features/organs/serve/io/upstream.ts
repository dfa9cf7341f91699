/** The operator's own OpenAI-compatible server. Its reply stands beside the result and never in it. */
import type { JsonExchange } from '../../../../adapters/outbound/contract.ts'
import { read } from '../../../../platform/shape.ts'
import { type AskUpstream, ChatReply } from '../complete.ts'

/** Within the deadline of the op. */
const LIMITS = { status: 200, deadlineMs: 3_500, maxBytes: 64 * 1024 }
const MAX_REPLY = 16_384

/** `url` is the whole address of a chat-completions endpoint; its query may name the model. */
export const askUpstream =
  (url: string, exchange: JsonExchange): AskUpstream =>
  async ({ messages, max_tokens }, { signal, now }) => {
    const address = new URL(url)
    const model = address.searchParams.get('model') ?? 'default'
    address.searchParams.delete('model')
    const body = JSON.stringify({ model, messages, max_tokens, temperature: 0, stream: false })
    const answer = await exchange({ url: address.href, body, ...LIMITS }, signal)
    // The rest of the address may hold a token.
    const about = { kind: 'completion', source: address.origin, read_at: new Date(now()).toISOString() }
    const missing = (reason: string) => ({
      ...about,
      ...{ label: 'UNAVAILABLE', mode: 'unreachable', value: null, reason, text: null },
    })
    if (!answer.ok) return missing(answer.code)
    const shaped = read(ChatReply, answer.value)
    if (!shaped.ok) return missing('INVALID_SOURCE_SCHEMA')
    const { content } = shaped.value.choices[0]!.message
    const cut = content.length > MAX_REPLY ? { truncated_from: content.length } : {}
    const value = {
      model,
      content: content.slice(0, MAX_REPLY).toWellFormed(),
      ...cut,
      usage: shaped.value.usage ?? null,
    }
    return { ...about, label: 'MODELED', mode: 'live', value, reason: null, text: content }
  }
