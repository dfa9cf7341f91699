/** A chat completion of an OpenAI client as the flow takes it. Everything in it is examined: the texts of the messages as
 *  one text, all that is left of the body as its context. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { InputError, ServiceError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import type { TargetState } from '../../upstream-contract.ts'
import { answerDigest, type Inquiry, inputMatter } from './inquiry.ts'
import type { ChatInput } from './schemas.ts'

export const CHAT = 'inference.chat'
const MAX_TOKENS = 512

type Json = Record<string, unknown>
const isRecord = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

export function chatInquiry(
  body: ChatInput,
  { caller, headers }: Pick<Call, 'caller' | 'headers'>,
  targets: readonly TargetState[],
): Inquiry {
  const named = targetsFor(body.model, targets)
  const { texts, rest } = taken(body.messages)
  const { model: _, messages: __, ...others } = body
  const requestSha256 = sha256Hex(canonicalBytes(body))
  const asking = {
    operation: CHAT,
    caller,
    text: texts.join('\n'),
    fromTool: body.messages.some(({ role }) => role === 'tool' || role === 'function'),
    context: { ...others, messages: rest },
    sessionId: null,
    reviewId: reviewOf(headers['x-orch-review']),
    requestSha256,
    named,
  }
  return {
    operation: CHAT,
    input: inputMatter(asking, targets),
    answerSha256: answerDigest(requestSha256),
    effort: 'balanced',
    named,
    requestedModel: body.model,
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? MAX_TOKENS,
    request: body,
    bodyFor: ({ model }) => ({ ...body, model: model ?? body.model, ...(body.stream === true ? withUsage(body) : {}) }),
  }
}

/** A target by its id or by its model; one without a model of its own takes any. */
function targetsFor(model: string, targets: readonly TargetState[]): string[] {
  const exact = targets.filter((target) => target.id === model || target.model === model)
  const found = exact.length > 0 ? exact : targets.filter((target) => target.model === null)
  if (found.length === 0)
    throw new ServiceError('model_not_found', 'no target serves this model; list them at /v1/models')
  return found.map(({ id }) => id)
}

/** We always want to know the usage; whether the client is told stays the client’s choice. */
const withUsage = ({ stream_options: options }: Json) => ({
  stream_options: { ...(isRecord(options) ? options : {}), include_usage: true },
})

/** The texts of the messages, and the messages without them. */
function taken(messages: readonly Json[]): { texts: string[]; rest: Json[] } {
  const texts: string[] = []
  const rest = messages.map(({ content, ...others }, at) => {
    if (typeof others.role !== 'string')
      throw new InputError([{ loc: ['body', 'messages', at, 'role'], msg: 'must be text', type: 'type' }])
    if (typeof content === 'string') texts.push(content)
    else if (Array.isArray(content)) return { ...others, content: content.map((part) => withoutText(part, texts)) }
    else if (content !== undefined && content !== null)
      throw new InputError([{ loc: ['body', 'messages', at, 'content'], msg: 'must be text or a list', type: 'type' }])
    return others
  })
  return { texts, rest }
}

function withoutText(part: unknown, texts: string[]): unknown {
  if (!isRecord(part) || part.type !== 'text' || typeof part.text !== 'string') return part
  const { text, ...others } = part
  texts.push(text as string)
  return others
}

function reviewOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,128}$/.test(header)) return header
  throw new InputError([{ loc: ['header', 'x-orch-review'], msg: 'must be the id of one review', type: 'pattern' }])
}
