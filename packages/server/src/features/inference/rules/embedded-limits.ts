/** What the embedded model can be asked for. It continues text and does nothing else: a field that asks for more is
 *  refused, because an answer that passed over it would look like one that heeded it. */
import { isRecord } from '../../../domain/stored-receipt.ts'
import { InputError } from '../../../errors.ts'
import type { Part } from './message-pointers.ts'

type Body = Readonly<Record<string, unknown>>
type Rule = readonly [fits: (value: unknown, body: Body) => boolean, message: string]

const within =
  (least: number, most: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && value >= least && value <= most
const oneOf =
  (...allowed: readonly unknown[]) =>
  (value: unknown): boolean =>
    allowed.includes(value)
const isStop = (value: unknown): boolean => typeof value === 'string' && value.length > 0 && value.length <= 64
const isText = (value: unknown): boolean => isRecord(value) && typeof value.text === 'string'

const RULES: Readonly<Record<string, Rule>> = {
  temperature: [within(0, 2), 'must be a number from 0 to 2'],
  top_p: [within(0, 1), 'must be a number from 0 to 1'],
  seed: [Number.isSafeInteger, 'must be a whole number'],
  stop: [
    (value) => isStop(value) || (Array.isArray(value) && value.length <= 4 && value.every(isStop)),
    'must be a text of 1 to 64 characters, or a list of at most 4 of them',
  ],
  n: [oneOf(1), 'm1 gives one answer'],
  logprobs: [
    (value, { stream }) => value === false || (value === true && stream !== true),
    'must be true or false; log-probabilities of m1 come with an answer that is not streamed',
  ],
  top_logprobs: [
    (value, { logprobs }) => value === 0 || (logprobs === true && Number.isInteger(value) && within(0, 20)(value)),
    'must be a whole number from 0 to 20, and needs logprobs',
  ],
  frequency_penalty: [oneOf(0), 'm1 has no penalties; leave it out or send 0'],
  presence_penalty: [oneOf(0), 'm1 has no penalties; leave it out or send 0'],
  logit_bias: [(value) => isRecord(value) && Object.keys(value).length === 0, 'm1 has no biases; leave it out'],
  response_format: [(value) => isRecord(value) && value.type === 'text', 'm1 writes text; only {"type":"text"} fits'],
  tool_choice: [oneOf('auto', 'none'), 'm1 calls no tools; only "auto" and "none" fit'],
  function_call: [oneOf('auto', 'none'), 'm1 calls no functions; only "auto" and "none" fit'],
  modalities: [(value) => Array.isArray(value) && value.every(oneOf('text')), 'm1 writes text; only ["text"] fits'],
  audio: [() => false, 'm1 writes text; leave it out'],
}

/** Throws where the body asks for what the model cannot do, or holds nothing to continue. */
export function assertServable(body: Body, texts: readonly Part[]): void {
  const faults = Object.entries(RULES)
    .filter(([field, [fits]]) => body[field] !== undefined && body[field] !== null && !fits(body[field], body))
    .map(([field, [, msg]]) => ({ loc: ['body', field], msg, type: 'unsupported' }))
  const messages = body.messages as readonly Record<string, unknown>[]
  const foreign = messages.findIndex(({ content }) => Array.isArray(content) && !content.every(isText))
  if (foreign >= 0)
    faults.push({ loc: ['body', 'messages', `${foreign}`, 'content'], msg: 'm1 reads text alone', type: 'unsupported' })
  else if (texts.every(({ text }) => text.trim() === ''))
    faults.push({ loc: ['body', 'messages'], msg: 'must hold a text to continue', type: 'blank' })
  if (faults.length > 0) throw new InputError(faults)
}
