import { type Vertical, verticalOf } from '../../domain/vertical.ts'
import { APPENDING, EXAMINING } from '../../errors.ts'
import { type Call, operation, Reply } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports, Runtime } from '../../ports.ts'
import type { M1 } from '../m1/contract.ts'
import {
  assertReleased,
  type ChatOutcome,
  chatEvents,
  chatReply,
  firstPiece,
  headersOf,
  isRefusal,
  openAiRefusal,
  orchHeaders,
  unaskedOutcome,
} from './chat-reply.ts'
import { CHAT, chatInquiry } from './chat-request.ts'
import { dryOutcome, inferenceWork } from './flow.ts'
import { generateWhole } from './generation.ts'
import { healthOf, modelsOf } from './health.ts'
import { inferEvents, inferReply } from './infer-reply.ts'
import { INFER, inferInquiry } from './infer-request.ts'
import type { Inquiry } from './inquiry.ts'
import * as schemas from './schemas.ts'
import { readApprovedAnswer, type Settled, settleByReceipt, settleInFull } from './settle.ts'
import { beginStream, Channel, type Piece } from './stream.ts'

type Deps = Pick<Ports, 'governance' | 'policies' | 'upstreams' | 'recorder' | 'clock'> & {
  runtime: Runtime
  m1: Pick<M1, 'files'>
}

const group = 'Governance'
const EVENTS = { type: 'text/event-stream; charset=utf-8' }
const UNBUFFERED = { 'x-accel-buffering': 'no' }
const DECIDING = [...EXAMINING, 'state_conflict', ...APPENDING] as const

/** Models behind the gates: nothing reaches a target, and nothing of an answer leaves, without a decision and a receipt. */
export const inference = (deps: Deps) => {
  const { upstreams, clock, runtime, m1 } = deps
  const now = () => isoNow(clock)

  /** The embedded model answers while its files are what is listed of them, and not otherwise. */
  const answering = async () => {
    const targets = upstreams.targets()
    if (!targets.some(({ embedded }) => embedded)) return targets
    const isWhole = (await m1.files()).every(({ state }) => state === 'PASS')
    return targets.filter(({ embedded }) => isWhole || !embedded)
  }

  /** Decided with a receipt of its own, then told while it is made. */
  const settledBefore = async (call: Call, inquiry: Inquiry) =>
    settleByReceipt(deps, call, inquiry)(await readApprovedAnswer(deps, inquiry))

  const whole = (call: Call, inquiry: Inquiry, settle: Parameters<typeof inferenceWork>[3]['settle']) =>
    deps.recorder.record(call, inquiry.operation, {
      decide: inferenceWork(deps, call, inquiry, {
        streamed: false,
        settle,
        generate: generateWhole,
      }),
    })

  const inferred = async (call: Call<unknown, unknown, schemas.InferInput>) => {
    const { body, caller, inputSource, requestId } = call
    const inquiry = inferInquiry(body, caller, upstreams.targets())
    const domain =
      body.vertical === undefined
        ? verticalOf(inquiry.input.text)
        : { id: body.vertical as Vertical, confidence: 1, hits: [], label: 'MODELED' as const }
    const parts = { domain, inputSource, dryRun: body.dry_run ?? false, streamed: body.stream ?? false }
    if (parts.dryRun) return inferReply({ ...parts, outcome: await dryOutcome(deps, inquiry), receipt: null })
    const replyOf = (outcome: ChatOutcome) => inferReply({ ...parts, outcome, receipt: outcome.receipt })
    if (parts.streamed) {
      const settled = await settledBefore(call, inquiry)
      const events = inferEvents(beginStream(deps, call, inquiry, settled), settled, replyOf, requestId)
      return new Reply(events, { ...EVENTS, headers: UNBUFFERED })
    }
    const { body: outcome, headers } = await whole(call, inquiry, settleInFull(deps, inquiry))
    return new Reply(replyOf(outcome as unknown as ChatOutcome), { headers })
  }

  type ChatCall = Call<unknown, unknown, schemas.ChatInput>

  const chatWhole = async (call: ChatCall, inquiry: Inquiry, settled: Settled) => {
    const recorded = await whole(call, inquiry, async () => settled)
    const outcome = recorded.body as unknown as ChatOutcome
    if (outcome.decision === 'deny') return refused(outcome, call)
    assertReleased(outcome)
    return new Reply(chatReply(outcome), { headers: { ...recorded.headers, ...headersOf(outcome) } })
  }

  const chatStreamed = async (call: ChatCall, inquiry: Inquiry, settled: Settled) => {
    const channel = beginStream(deps, call, inquiry, settled)
    const first = await firstPiece(channel)
    if (first.kind === 'failed') throw first.error
    if (first.kind === 'done' && !isRefusal(first.outcome, call)) assertReleased(first.outcome)
    return chunked(call, settled, first, channel)
  }

  const chunked = ({ body, requestId }: ChatCall, settled: Settled, first: Piece, channel: Channel<Piece>) => {
    const usage = (body.stream_options as { include_usage?: unknown } | null | undefined)?.include_usage === true
    const chat = { settled, requestedModel: body.model, usage, requestId, startedAt: now() }
    const own = orchHeaders(settled.judged.decision, settled.receipt)
    return new Reply(chatEvents(first, channel, chat), { ...EVENTS, headers: { ...UNBUFFERED, ...own } })
  }

  const chatted = async (call: ChatCall) => {
    const inquiry = chatInquiry(call.body, call, upstreams.targets())
    const settled = await settledBefore(call, inquiry)
    if (settled.judged.decision === 'allow')
      return call.body.stream === true ? chatStreamed(call, inquiry, settled) : chatWhole(call, inquiry, settled)
    const outcome = unaskedOutcome(inquiry, settled, now())
    if (call.body.stream === true && isRefusal(outcome, call))
      return chunked(call, settled, { kind: 'done', outcome, rest: '' }, Channel.ended())
    return refused(outcome, call)
  }

  /** A denial is a 403, or an answer without content where the client asks for that; anything else is told as it is. */
  const refused = (outcome: ChatOutcome, call: ChatCall) => {
    if (!isRefusal(outcome, call)) assertReleased(outcome)
    return new Reply(chatReply(outcome), { headers: headersOf(outcome) })
  }

  return [
    operation({
      id: INFER,
      group,
      method: 'POST',
      path: '/govern/infer',
      alias: true,
      scope: 'inference:write',
      summary: 'Ask a model: the request and the answer are both decided on, one receipt holds both',
      description:
        'A request that is not allowed reaches no target. An answer that is denied is withheld; one under review waits for people. With `stream` the answer comes as server-sent events: `decision`, `token`, `halt`, `done`; what may be part of a blocked value is held back. Without a target the decision stands and `answer` is null.',
      body: schemas.InferBody,
      bodyRule: { anyOf: [{ required: ['prompt'] }, { required: ['messages'] }] },
      bodyLimit: 256 * 1024,
      emptyBody: 'refuse',
      reply: schemas.InferReply,
      errors: DECIDING,
      labels: ['MEASURED', 'MODELED', 'STRUCTURAL-ONLY', 'UNAVAILABLE'],
      example: { body: { prompt: 'What is the capital of France?' } },
      run: inferred,
    }),
    operation({
      id: 'inference.health',
      group,
      method: 'GET',
      path: '/govern/health',
      scope: 'inference:write',
      summary: 'The model targets, their breakers and their last successes; probes nothing',
      reply: schemas.HealthReply,
      labels: ['MEASURED', 'UNAVAILABLE'],
      run: () => healthOf(upstreams.targets(), now()),
    }),
    operation({
      id: CHAT,
      group,
      method: 'POST',
      path: '/v1/chat/completions',
      root: true,
      scope: 'inference:write',
      summary: 'The same for any OpenAI client: change its base URL and nothing else',
      description:
        'Unknown fields go on to the target. `x-orch-receipt` names the receipt of the decision, durable before the first byte; `orch.receipt` that of the inference. Denied is 403 (or, with `x-orch-on-deny: refusal`, an answer without content), under review 409; after approval send the same body with `x-orch-review`. Log probabilities of the embedded model come with a whole answer; those of other targets, and audio, are not passed back.',
      body: schemas.ChatBody,
      requestHeaders: schemas.ChatHeaders,
      bodyLimit: 4 * 1024 * 1024,
      boundary: { refuse: openAiRefusal },
      reply: schemas.ChatReply,
      errors: [
        ...DECIDING,
        'model_not_found',
        'denied_by_gate',
        'review_required',
        'no_target',
        'inference_slot_busy',
        'context_length_exceeded',
        'model_gate_blocked',
        'model_unavailable',
        'upstream_failed',
        'upstream_timeout',
      ],
      labels: ['STRUCTURAL-ONLY'],
      example: { body: { model: 'm1', messages: [{ role: 'user', content: 'What is the capital of France?' }] } },
      run: chatted,
    }),
    operation({
      id: 'inference.models',
      group,
      method: 'GET',
      path: '/v1/models',
      root: true,
      scope: 'inference:write',
      summary: 'The models that can answer, as configured; a target that is absent is not listed',
      boundary: { refuse: openAiRefusal },
      reply: schemas.ModelsReply,
      labels: ['STRUCTURAL-ONLY'],
      run: async () => modelsOf(await answering(), runtime.startedAt),
    }),
  ]
}
