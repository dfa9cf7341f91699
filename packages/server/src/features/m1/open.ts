/** Opens the embedded model: its files, its gate, and the one thread it computes in. */
import { fileURLToPath } from 'node:url'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { Compute } from '../../platform/compute/compute.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import { type Answer, type M1, type M1Request, ModelRefusal } from './contract.ts'
import { checkGate, type GateResult, type ModelDigests } from './gate.ts'
import { openModelFiles } from './io/model-files.ts'
import type { Place } from './job.ts'
import type { Generation } from './model/generate.ts'
import type { Inference } from './schemas.ts'

export const MODEL_FOLDER = fileURLToPath(new URL('../../../models/m1/', import.meta.url))
const DEADLINE_MS = 20_000

export interface OpenM1 extends M1 {
  close(signal: AbortSignal): Promise<void>
}

export function openM1({ clock, folder }: { clock: Clock; folder: string }): OpenM1 {
  // A thread of its own: the weights stay in it, and what others compute does not wait for a text.
  const compute = new Compute({ threads: 1, memoryMb: 256, waitMs: DEADLINE_MS, idleMs: 120_000, maxQueuePerJob: 16 })
  const module = new URL('./job.ts', import.meta.url)
  const run = compute.register<{ place: Place; request: M1Request; turn: number }, Generation>({
    ...{ name: 'm1-infer', module, function: 'runModel', deadlineMs: DEADLINE_MS },
  })
  const reload = compute.register<{ place: Place; prompt: string }, string>({
    ...{ name: 'm1-reload', module, function: 'reloadModel', deadlineMs: DEADLINE_MS, cache: true },
  })
  const files = openModelFiles(folder)
  const place = (digests: ModelDigests): Place => ({ folder, digests })
  let newest: GateResult | null = null
  const look = singleFlight(async () => {
    newest = await checkGate(
      files,
      async (digests, prompt) => (await reload({ place: place(digests), prompt })).value,
      isoNow(clock),
    )
    return newest
  })
  let taken = 0
  let turn = 0
  let last: Promise<unknown> = Promise.resolve()

  return {
    gate: async () => (await look()).gate,
    newestGate: () => newest?.gate ?? null,
    async infer(request, { signal, waits }): Promise<Answer> {
      const { gate, digests } = await look()
      if (gate.operational_state === 'BLOCKED') throw new ModelRefusal('model_gate_blocked', gate)
      if (digests === null) throw new ModelRefusal('model_unavailable', gate)
      if (taken > 0 && !waits) throw new ModelRefusal('inference_slot_busy', gate)
      taken += 1
      turn += 1
      const before = last
      // Every text is made for its own caller, so that the slot is one slot.
      const own = turn
      const work = before.then(() => run({ place: place(digests), request, turn: own }, { signal }))
      last = work.catch(() => undefined)
      try {
        const { value, timing } = await work
        return { inference: toInference(value, request.seed), weightsSha256: digests.weights, timing: timing! }
      } finally {
        taken -= 1
      }
    },
    close: (signal) => compute.close(signal),
  }
}

const PLACES = 1e9
const rounded = (value: number): number => Math.round(value * PLACES) / PLACES + 0

const toInference = ({ text, tokens, ...facts }: Generation, seed: number): Inference => ({
  text,
  tokens: tokens.map(({ top, ...token }) => ({
    ...{ ...token, logprob: rounded(token.logprob) },
    top: top.map((each) => ({ ...each, logprob: rounded(each.logprob) })),
  })),
  finish_reason: facts.finishReason,
  prompt_tokens: facts.promptTokens,
  prompt_truncated: facts.promptTruncated,
  completion_tokens: tokens.length,
  prompt_bits_per_byte: facts.promptBitsPerByte === null ? null : rounded(facts.promptBitsPerByte),
  seed,
})
