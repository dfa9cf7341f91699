/** A chat completion as its target wrote it, reduced to what is understood. Fields that nobody reads here go no further:
 *  what is not examined does not leave. */

import { parseJsonText } from '@orch/core'
import { isRecord } from '../../../domain/stored-receipt.ts'
import type { ToolCall } from '../schemas.ts'
import { namedBy } from './model-names.ts'

interface Choice {
  index: number
  content: string | null
  refusal: string | null
  toolCalls: ToolCall[]
  finishReason: string | null
  /** Of the embedded model alone: those of others hold text that nobody examined. */
  logprobs?: unknown
}

interface Usage {
  prompt_tokens: number
  completion_tokens: number
}

export interface Completion {
  /** What the target says it answered with. */
  model: string | null
  choices: Choice[]
  usage: Usage | null
}

const MAX_CHOICES = 16
const MAX_TOOL_CALLS = 128
const FINISHES = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']

type Json = Record<string, unknown>
const textOr = <T>(value: unknown, other: T): string | T => (typeof value === 'string' ? value : other)

/** The content of a message or of a part of it: a text, or a list of parts with texts, which a client reads as one. */
function contentOf(value: unknown): string | null {
  if (!Array.isArray(value)) return textOr(value, null)
  const texts = value.flatMap((part) => (isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
  return texts.length === 0 ? null : texts.join('')
}

/** Null where it is no completion. */
export function readCompletion(value: unknown): Completion | null {
  if (!isRecord(value) || !Array.isArray(value.choices)) return null
  const { choices } = value
  if (choices.length === 0 || choices.length > MAX_CHOICES || !choices.every(isRecord)) return null
  const read = choices.map((choice, index) => readChoice(choice, index))
  if (read.some((choice) => choice === null)) return null
  return { model: namedBy(value.model), choices: read as Choice[], usage: readUsage(value.usage) }
}

function readChoice({ message, finish_reason }: Json, index: number): Choice | null {
  if (!isRecord(message)) return null
  const calls = message.tool_calls ?? []
  if (!Array.isArray(calls) || calls.length > MAX_TOOL_CALLS) return null
  const toolCalls = calls.map(readToolCall)
  if (toolCalls.some((call) => call === null)) return null
  return {
    index,
    content: contentOf(message.content),
    refusal: textOr(message.refusal, null),
    toolCalls: toolCalls as ToolCall[],
    finishReason: finishOf(finish_reason),
  }
}

function readToolCall(value: unknown): ToolCall | null {
  if (!isRecord(value) || !isRecord(value.function)) return null
  const { name, arguments: given } = value.function
  if (typeof name !== 'string' || typeof given !== 'string') return null
  return { id: textOr(value.id, ''), type: 'function', function: { name, arguments: given } }
}

const finishOf = (value: unknown): string | null =>
  typeof value === 'string' ? (FINISHES.includes(value) ? value : 'stop') : null

/** Numbers a target gives, or none: a count that is no count is not repeated. */
function readUsage(value: unknown): Usage | null {
  if (!isRecord(value)) return null
  const { prompt_tokens, completion_tokens } = value
  const isCount = (number: unknown): number is number => Number.isSafeInteger(number) && (number as number) >= 0
  return isCount(prompt_tokens) && isCount(completion_tokens) ? { prompt_tokens, completion_tokens } : null
}

export class CompletionChunks {
  readonly #choices = new Map<number, Choice>()
  #model: string | null = null
  #usage: Usage | null = null

  /** What the chunk adds to the text of the first choice; null where it is no chunk of a completion. */
  add(chunk: unknown): string | null {
    if (!isRecord(chunk) || !Array.isArray(chunk.choices)) return null
    this.#model ??= namedBy(chunk.model)
    this.#usage = readUsage(chunk.usage) ?? this.#usage
    let first = ''
    for (const part of chunk.choices) {
      const added = this.#addChoice(part)
      if (added === null) return null
      first += added
    }
    return first
  }

  completion(): Completion {
    const choices = [...this.#choices.values()].sort((one, other) => one.index - other.index)
    return { model: this.#model, choices, usage: this.#usage }
  }

  #addChoice(part: unknown): string | null {
    if (!isRecord(part)) return null
    const index = part.index ?? 0
    if (!Number.isSafeInteger(index) || (index as number) < 0 || (index as number) >= MAX_CHOICES) return null
    const delta = isRecord(part.delta) ? part.delta : {}
    const choice = this.#choice(index as number)
    const content = contentOf(delta.content) ?? ''
    if (content !== '') choice.content = (choice.content ?? '') + content
    if (typeof delta.refusal === 'string') choice.refusal = (choice.refusal ?? '') + delta.refusal
    choice.finishReason = finishOf(part.finish_reason) ?? choice.finishReason
    if (!addToolCalls(choice.toolCalls, delta.tool_calls)) return null
    return index === 0 ? content : ''
  }

  #choice(index: number): Choice {
    const known = this.#choices.get(index)
    if (known) return known
    const choice: Choice = { index, content: null, refusal: null, toolCalls: [], finishReason: null }
    this.#choices.set(index, choice)
    return choice
  }
}

function addToolCalls(calls: ToolCall[], deltas: unknown): boolean {
  if (deltas === undefined || deltas === null) return true
  if (!Array.isArray(deltas)) return false
  return deltas.every((delta) => {
    if (!isRecord(delta)) return false
    const index = delta.index ?? 0
    // In order and without gaps, as the interface has it: a far index would be a list of holes.
    const isNext = Number.isSafeInteger(index) && (index as number) >= 0 && (index as number) <= calls.length
    if (!isNext || calls.length > MAX_TOOL_CALLS) return false
    if (index === calls.length) calls.push({ id: '', type: 'function', function: { name: '', arguments: '' } })
    const call = calls[index as number]!
    const given = isRecord(delta.function) ? delta.function : {}
    call.id ||= textOr(delta.id, '')
    call.function.name += textOr(given.name, '')
    call.function.arguments += textOr(given.arguments, '')
    return true
  })
}

export const outputText = ({ choices }: Completion): string =>
  choices
    .map(({ content }) => content ?? '')
    .filter((content) => content !== '')
    .join('\n\n')

/** Everything else that would leave: every string in it is examined too, arguments also as the JSON they are, the name of
 *  a model that is not the one we asked for, and several choices as the one text they are side by side. */
export function outputRest({ choices, model }: Completion, resolved: string | null): object | undefined {
  const rest = choices
    .filter(({ refusal, toolCalls }) => refusal !== null || toolCalls.length > 0)
    .map(({ refusal, toolCalls }) => ({
      refusal,
      tool_calls: toolCalls.map(({ id, function: { name, arguments: given } }) => ({
        id,
        name,
        arguments: given,
        parsed: parsedOrNull(given),
      })),
    }))
  const named = model === resolved ? null : model
  const texts = choices.flatMap(({ content }) => content ?? [])
  const together = texts.length > 1 ? texts.join('') : null
  return rest.length === 0 && named === null && together === null
    ? undefined
    : { choices: rest, model: named, together }
}

export function parsedOrNull(text: string): unknown {
  try {
    return parseJsonText(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
