/** A request to infer as the flow takes it. */

import { canonicalBytes, sha256Hex } from '@orch/core'
import type { TargetState } from '../../adapters/models/contract.ts'
import { assertContext, assertText } from '../../domain/decision/caller-text.ts'
import { codePoints } from '../../domain/text/code-points.ts'
import { InputError } from '../../errors.ts'
import type { Call } from '../../operation.ts'
import { answerDigest, type Inquiry, inputRequest } from './inquiry.ts'
import { located, originOf } from './rules/message-pointers.ts'
import { type InferInput, MAX_TOGETHER } from './schemas.ts'

export const INFER = 'inference.infer'
const MAX_CONTEXT_BYTES = 8192
const MAX_TOKENS = 512

const refuse = (field: string, msg: string, type: string) => new InputError([{ loc: ['body', field], msg, type }])

type Messages = NonNullable<InferInput['messages']>

function messagesOf({ prompt, messages }: InferInput): Messages {
  if ((prompt === undefined) === (messages === undefined))
    throw refuse('prompt', 'send either prompt or messages', prompt === undefined ? 'missing' : 'conflict')
  if (messages === undefined) {
    assertText(prompt as string, 'prompt')
    return [{ role: 'user', content: prompt as string }]
  }
  assertText(messages.map(({ content }) => content).join(''), 'messages')
  const together = messages.reduce((sum, { content }) => sum + codePoints(content), 0)
  if (together > MAX_TOGETHER)
    throw refuse('messages', `have ${together} characters together, at most ${MAX_TOGETHER}`, 'too_long')
  return messages
}

export function inferInquiry(body: InferInput, caller: Call['caller'], targets: readonly TargetState[]): Inquiry {
  const messages = messagesOf(body)
  const context = body.context ?? undefined
  if (context !== undefined) assertContext(context, MAX_CONTEXT_BYTES)
  const model = body.model ?? null
  if (model !== null && !targets.some(({ id }) => id === model))
    throw refuse('model', 'is no configured target; see GET /api/orch/v1/govern/health', 'unknown')
  const parts = messages.map(({ role, content }, at) => ({
    pointer: `/messages/${at}/content`,
    text: content,
    origin: originOf(role),
    list: null,
  }))
  const { review_id: _, dry_run: __, stream: ___, ...approved } = body
  const inputSha256 = sha256Hex(canonicalBytes(approved))
  const asked = {
    operation: INFER,
    caller,
    context,
    declared: body.declared ?? 'PUBLIC',
    severity: body.severity ?? 0,
    sessionId: body.session_id ?? null,
    agent: body.agent ?? null,
    reviewId: body.review_id ?? null,
    inputSha256,
  }
  const named = model === null ? null : [model]
  const roles = messages.map(({ role }) => role)
  return {
    operation: INFER,
    input: inputRequest(asked, roles, parts, named, targets),
    locate: (findings) => located(findings, body.prompt === undefined ? parts : []),
    answerSha256: answerDigest(inputSha256),
    effort: body.effort ?? 'balanced',
    named,
    requestedModel: model,
    maxTokens: body.max_tokens ?? MAX_TOKENS,
    request: approved,
    bodyFor: (target) => upstreamBody(target, messages, body),
  }
}

const upstreamBody = (
  { model }: TargetState,
  messages: Messages,
  { max_tokens = MAX_TOKENS, temperature = 0, seed, stream }: InferInput,
): Record<string, unknown> => ({
  model: model ?? 'default',
  messages,
  max_tokens,
  temperature,
  ...(seed === undefined || seed === null ? {} : { seed }),
  ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
})
