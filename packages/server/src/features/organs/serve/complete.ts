/** A chat completion of the embedded model, between two looks of the guard. */
import Type from 'typebox'
import type { Upstreams } from '../../../adapters/models/contract.ts'
import { read } from '../../../platform/shape.ts'
import type { Attachment, Outcome, RunContext } from '../organ.ts'
import type { ScreenSecrets } from '../screening.ts'
import type { CompleteRequest, Completion, Screened } from './shapes.ts'

type Screening = Awaited<ReturnType<ScreenSecrets>>

/** What an OpenAI-compatible server of the operator answers to the same messages. */
export type AskUpstream = (
  request: CompleteRequest,
  context: Pick<RunContext, 'signal' | 'now'>,
) => Promise<Attachment & { text: string | null }>

export interface CompleteNeeds {
  upstreams: Pick<Upstreams, 'targets' | 'complete'>
  countTokens(text: string): Promise<number>
  screen(text: string, direction: 'input' | 'output'): Promise<Screening>
  askUpstream: AskUpstream | null
}

const COMPLETE_MS = 3_500
const Count = Type.Integer({ minimum: 0 })
export const ChatReply = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({ content: Type.String() }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
  usage: Type.Optional(Type.Object({ prompt_tokens: Count, completion_tokens: Count })),
})

const ABSENT = 'the embedded model m1 is not part of this build, or ORCH_M1 is off: nothing was completed'
const TO_ENABLE = [
  'use a build with the weights of m1 and leave ORCH_M1 on',
  'or set ORCH_ORGAN_N1_URL to an OpenAI-compatible server: its reply is attached',
]

export async function complete(
  needs: CompleteNeeds,
  request: CompleteRequest,
  context: RunContext,
): Promise<Outcome<Completion | Screened>> {
  const text = request.messages.map(({ content }) => content).join('\n')
  const input = await needs.screen(text, 'input')
  if (input.action !== 'allow') return denied('input', input)
  const [answer, attached] = await Promise.all([
    askEmbedded(needs, request, context),
    askBeside(needs, request, context),
  ])
  const attachments = attached === null ? [] : [attached]
  if (answer === null || 'fault' in answer) {
    const reason = answer === null ? ABSENT : `the embedded model did not answer: ${answer.fault}`
    const checked = [{ probe: 'embedded model', found: answer !== null, at: new Date(context.now()).toISOString() }]
    const volatile = 'whether the embedded model answers in this build'
    return {
      ...{ status: 'UNAVAILABLE', result: null, attachments, volatile },
      evidence: { reason, checked, to_enable: TO_ENABLE },
    }
  }
  const output = await needs.screen(answer.content, 'output')
  if (output.action !== 'allow') return { ...denied('output', output), attachments }
  return { result: await toCompletion(needs, request, answer, context), attachments }
}

function denied(direction: 'input' | 'output', { action, findings, faults }: Screening): Outcome<Screened> {
  return {
    status: 'DENIED',
    result: { screen: { direction, action: action === 'deny' ? 'deny' : 'review', findings: [...findings] } },
    limits: faults.map((detail) => ({ code: 'SCANNER_FAILED', detail })),
    ...(faults.length > 0 ? { volatile: 'which of the gates answered in time' } : {}),
  }
}

interface EmbeddedAnswer {
  model: string
  content: string
  finish: 'stop' | 'length'
  usage: { prompt_tokens: number; completion_tokens: number } | null
}

/** Null where there is no such model. Temperature 0: the same messages get the same words. */
async function askEmbedded(
  { upstreams }: CompleteNeeds,
  { messages, max_tokens }: CompleteRequest,
  { signal }: RunContext,
): Promise<EmbeddedAnswer | { fault: string } | null> {
  const target = upstreams.targets().find(({ embedded, absent }) => embedded && absent === null)
  if (target === undefined) return null
  const body = { model: target.id, messages, max_tokens, temperature: 0, stream: false }
  const answer = await upstreams.complete(target.id, { body, deadlineMs: COMPLETE_MS }, signal)
  if (!answer.ok) return { fault: answer.code }
  const shaped = read(ChatReply, answer.value)
  if (!shaped.ok) return { fault: 'INVALID_REPLY' }
  const [choice] = shaped.value.choices
  const finish = choice!.finish_reason === 'length' ? 'length' : 'stop'
  return { model: target.id, content: choice!.message.content, finish, usage: shaped.value.usage ?? null }
}

/** A reply that the guard does not let pass is not shown. */
async function askBeside(
  needs: CompleteNeeds,
  request: CompleteRequest,
  context: RunContext,
): Promise<Attachment | null> {
  if (needs.askUpstream === null) return null
  const { text, ...attachment } = await needs.askUpstream(request, context)
  if (text === null || (await needs.screen(text, 'output')).action === 'allow') return attachment
  return { ...attachment, label: 'UNAVAILABLE', mode: 'withheld', value: null, reason: 'SCREENED_OUT' }
}

/** The model's own count of tokens, and that of a public vocabulary where it gives none. */
async function toCompletion(
  { countTokens }: CompleteNeeds,
  { messages }: CompleteRequest,
  { model, content, finish, usage }: EmbeddedAnswer,
  { inputSha256 }: RunContext,
): Promise<Completion> {
  const prompt_tokens = usage?.prompt_tokens ?? (await countTokens(messages.map((one) => one.content).join('\n')))
  const completion_tokens = usage?.completion_tokens ?? (await countTokens(content))
  return {
    ...{ id: `chatcmpl-${inputSha256.slice(0, 24)}`, object: 'chat.completion', created: 0, model },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  }
}
