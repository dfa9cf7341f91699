/** One inference as an operation asks for it: the request read, the model asked, and the receipt that holds digests only. */
import { sha256Hex } from '@orch/core'
import { toComputeRefusal } from '../../domain/compute-refusal.ts'
import { plainDecimal, portableDigest } from '../../domain/portable-digest.ts'
import { InputError, ServiceError } from '../../errors.ts'
import type { Call, Refused } from '../../operation.ts'
import type { Draft } from '../../ports.ts'
import type { M1, M1Request } from './contract.ts'
import { ModelRefusal } from './refusal.ts'
import type { Gate, InferBody } from './schemas.ts'

export const INFER = 'm1.infer'
export const EXAMPLE: InferBody = {
  schema: 'orch.m1-experimental-inference-request/v1',
  prompt: 'A receipt is',
  max_new_tokens: 32,
  temperature: 0,
  requested_tier: 'EXPERIMENTAL_LOCAL_ONLY',
  provider_id: 'orch.m1.local/v1',
}
const BASIS =
  'a decoder transformer of this build continues the prompt; log-probabilities are its own, and no statement in the text was checked'

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u

function readRequest(body: InferBody): M1Request {
  const refuse = (msg: string, type: string) => new InputError([{ loc: ['body', 'prompt'], msg, type }])
  if (body.prompt.trim() === '') throw refuse('must hold more than blanks', 'blank')
  if (CONTROL.test(body.prompt)) throw refuse('must hold no control characters but tab, LF and CR', 'control_character')
  return {
    prompt: body.prompt,
    maxNewTokens: body.max_new_tokens,
    temperature: body.temperature,
    topK: body.top_k ?? 0,
    topP: 1,
    topLogprobs: body.top_logprobs ?? 5,
    stop: body.stop ?? [],
    seed: body.seed ?? 0,
  }
}

const REFUSALS = {
  model_gate_blocked: 'an artifact of the model is not what it was when it was listed; read the gate in this reply',
  model_unavailable: 'the model is not part of this installation; read the gate in this reply',
  inference_slot_busy: 'the model writes one text at a time and is writing one now; retry in a second',
} as const

class GateRefusal extends ServiceError {
  readonly gate: Gate

  constructor({ code, gate }: ModelRefusal) {
    super(code, REFUSALS[code], code === 'inference_slot_busy' ? { headers: { 'retry-after': '1' } } : {})
    this.gate = gate
  }
}

export async function inferDraft(
  m1: M1,
  { body, inputSource, signal }: Pick<Call<unknown, unknown, InferBody>, 'body' | 'inputSource' | 'signal'>,
): Promise<Draft> {
  const request = readRequest(body)
  const { inference, weightsSha256, timing } = await m1
    .infer(request, { signal, waits: false, mayCut: true })
    .catch(toRefusal)
  const { prompt, temperature, ...parameters } = request
  const digests = { input_sha256: portableDigest(body), output_sha256: portableDigest(inference) }
  const said = { label: 'MODELED' as const, input_source: inputSource, ...digests, weights_sha256: weightsSha256 }
  const hashed = { ...parameters, stop: parameters.stop.length, temperature: plainDecimal(temperature) }
  return {
    chain: 'm1',
    kind: 'inference',
    payload: { operation: INFER, prompt_sha256: sha256Hex(prompt), parameters: hashed, ...said },
    answer: {
      schema: 'orch.m1-experimental-inference-result/v1',
      state: 'RESULT',
      release_state: 'NOT_PROMOTED',
      quality_claim: 'NOT_ESTABLISHED',
      production_eligible: false,
      ...{ inference, basis: BASIS, ...said },
      timing: { wall_ms: timing.wallMs, cpu_ms: timing.cpuMs, queue_ms: timing.queueMs },
    },
  }
}

function toRefusal(error: unknown): never {
  throw error instanceof ModelRefusal ? new GateRefusal(error) : toComputeRefusal(error, 'body')
}

/** Beside the error of every refusal but that of a misfit stands what the gate said: now, or when it was last asked. */
export const withGate =
  (m1: M1) =>
  (refusal: Refused, error: unknown): Refused => {
    if (refusal.status === 422) return refusal
    const gate = error instanceof GateRefusal ? error.gate : m1.newestGate()
    return { ...refusal, body: { ...refusal.body, gate } }
  }
