/** A chat completion of an OpenAI client as the flow takes it. Everything in it is examined: the texts of the messages as
 *  one text, all that is left of the body as its context. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import type { TargetState } from '../../adapters/models/contract.ts'
import { isRecord } from '../../domain/stored-receipt.ts'
import { InputError, ServiceError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import { answerDigest, type Inquiry, inputRequest } from './inquiry.ts'
import { parsedOrNull } from './rules/completion.ts'
import { assertServable } from './rules/embedded-limits.ts'
import { locatedInBody, originOf, type Part, together, within } from './rules/message-pointers.ts'
import type { ChatInput } from './schemas.ts'

export const CHAT = 'inference.chat'
const MAX_TOKENS = 512

type Json = Record<string, unknown>

export function chatInquiry(
  body: ChatInput,
  { caller, headers }: Pick<Call, 'caller' | 'headers'>,
  targets: readonly TargetState[],
): Inquiry {
  const named = targetsFor(body.model, targets)
  const { parts, rest } = taken(body.messages)
  if (targets.every(({ id, embedded }) => embedded || !named.includes(id))) assertServable(body, parts)
  const { messages: _, ...others } = body
  const inputSha256 = sha256Hex(canonicalBytes(body))
  const asked = {
    operation: CHAT,
    caller,
    context: [{ ...others, messages: rest }, together(parts)],
    declared: 'PUBLIC' as const,
    severity: 0,
    sessionId: null,
    agent: (headers['x-orch-agent'] as string | undefined) ?? null,
    reviewId: reviewOf(headers['x-orch-review']),
    inputSha256,
  }
  const roles = body.messages.map(({ role }) => role)
  return {
    operation: CHAT,
    input: inputRequest(asked, roles, parts, named, targets),
    locate: (findings) => locatedInBody(findings, parts),
    answerSha256: answerDigest(inputSha256),
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
    throw new ServiceError('model_not_found', 'no target serves the model of body.model; GET /v1/models lists them')
  return found.map(({ id }) => id)
}

/** We always want to know the usage; whether the client is told stays the client's choice. */
const withUsage = ({ stream_options: options }: Json) => ({
  stream_options: { ...(isRecord(options) ? options : {}), include_usage: true },
})

/** The texts of the messages, and the messages without them. */
function taken(messages: readonly Json[]): { parts: Part[]; rest: Json[] } {
  const parts: Part[] = []
  const rest = messages.map(({ content, ...others }, at) => {
    const origin = originOf(others.role)
    const seen = { ...others, parsed: argumentsOf(others.tool_calls) }
    const pointer = `/messages/${at}/content`
    if (typeof content === 'string') parts.push({ pointer, text: content, origin, list: null })
    else if (Array.isArray(content))
      return {
        ...seen,
        content: content.map((part, place) =>
          withoutText(part, within(pointer, place), { list: pointer, origin }, parts),
        ),
      }
    else if (content !== undefined && content !== null)
      throw new InputError([{ loc: ['body', 'messages', at, 'content'], msg: 'must be text or a list', type: 'type' }])
    return seen
  })
  return { parts, rest }
}

/** Arguments of tool calls are JSON in a text: what its escapes hide is examined as well. */
const argumentsOf = (calls: unknown): unknown[] =>
  (Array.isArray(calls) ? calls : []).map((call) => {
    const given = isRecord(call) && isRecord(call.function) ? call.function.arguments : null
    return typeof given === 'string' ? parsedOrNull(given) : null
  })

/** Whatever kind of part a text stands in, targets read it as one with its neighbours. */
function withoutText(part: unknown, pointer: string, of: Pick<Part, 'list' | 'origin'>, parts: Part[]): unknown {
  if (!isRecord(part)) return part
  const texts = ['text', 'refusal'].filter((field) => typeof part[field] === 'string')
  for (const field of texts) parts.push({ pointer: within(pointer, field), text: part[field] as string, ...of })
  return Object.fromEntries(Object.entries(part).filter(([field]) => !texts.includes(field)))
}

function reviewOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,128}$/.test(header)) return header
  throw new InputError([{ loc: ['header', 'x-orch-review'], msg: 'must be the id of one review', type: 'pattern' }])
}
