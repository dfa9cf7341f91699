/** Opens the embedded model: its files, its gate, and the one thread it computes in. */
import { fileURLToPath } from 'node:url'
import type { EmbeddedModel } from '../../adapters/models/contract.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { Compute } from '../../platform/compute/compute.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import type { Answer, M1 } from './contract.ts'
import { embeddedModel } from './embedded.ts'
import { checkFiles, checkGate, type GateResult, MANIFEST_FILE, type ModelDigests } from './gate.ts'
import type { Place, Run } from './io/job.ts'
import { hasModel, openModelFiles } from './io/model-files.ts'
import type { GeneratedToken, Generation } from './model/generate.ts'
import { ModelRefusal, PromptTooLong } from './refusal.ts'
import type { Inference } from './schemas.ts'

export const MODEL_FOLDER = fileURLToPath(new URL('../../../models/m1/', import.meta.url))
const DEADLINE_MS = 20_000
/** Texts that are made or wait to be made, for callers who wait. */
const MAX_WAITING = 8

interface OpenM1 extends M1 {
  /** As a target among the others; null where this build has no such model. */
  embedded: EmbeddedModel | null
  close(signal: AbortSignal): Promise<void>
}

/** A thread of its own: the weights stay in it, and what others compute does not wait for a text. */
const ownThread = () =>
  new Compute({ threads: 1, memoryMb: 256, waitMs: DEADLINE_MS, idleMs: 120_000, maxQueuePerJob: 16 })

interface Needs {
  clock: Clock
  folder: string
  compute?: Compute
}

export function openM1({ clock, folder, compute = ownThread() }: Needs): OpenM1 {
  const module = new URL('./io/job.ts', import.meta.url)
  const run = compute.register<Run & { turn: number }, Generation | null>({
    ...{ name: 'm1-infer', module, function: 'runModel', deadlineMs: DEADLINE_MS },
  })
  const reload = compute.register<{ place: Place; prompt: string }, string>({
    ...{ name: 'm1-reload', module, function: 'reloadModel', deadlineMs: DEADLINE_MS, cache: true },
  })
  const load = compute.register<Place, null>({
    ...{ name: 'm1-load', module, function: 'loadModel', deadlineMs: DEADLINE_MS },
  })
  /** For nobody in particular: a caller who leaves meanwhile does not undo it for the next one. */
  const warm = async (digests: ModelDigests) => {
    if (compute.stats().threads === 0) await load(place(digests))
  }
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

  const m1: M1 = {
    gate: async () => (await look()).gate,
    async files() {
      const { checks } = await checkFiles(files)
      return Object.entries(checks).map(([name, { sha256 = null, state, reason }]) => ({ name, sha256, state, reason }))
    },
    newestGate: () => newest?.gate ?? null,
    async infer(request, { signal, waits, mayCut, tell }): Promise<Answer> {
      const { gate, digests } = await look()
      if (gate.operational_state === 'BLOCKED') throw new ModelRefusal('model_gate_blocked', gate)
      if (digests === null) throw new ModelRefusal('model_unavailable', gate)
      if (taken >= (waits ? MAX_WAITING : 1)) throw new ModelRefusal('inference_slot_busy', gate)
      taken += 1
      turn += 1
      // Every text is made for its own caller, so that the slot is one slot.
      const own = turn
      const before = last
      const work = before
        .then(async () => {
          signal.throwIfAborted()
          await untilAborted(warm(digests), signal)
          const onPart = (text: unknown) => tell?.(text as string)
          return run({ place: place(digests), request, mayCut, turn: own }, { signal, onPart })
        })
        .finally(() => {
          taken -= 1
        })
      last = work.catch(() => undefined)
      const { value, timing } = await untilAborted(work, signal)
      if (value === null) throw new PromptTooLong()
      const inference = toInference(value, request.seed)
      return { inference, tokens: value.tokens, weightsSha256: digests.weights, timing: timing! }
    },
  }
  const embedded = hasModel(folder, MANIFEST_FILE) ? embeddedModel(m1) : null
  return { ...m1, embedded, close: (signal) => compute.close(signal) }
}

/** Whoever leaves while he waits for the slot is not kept until his turn comes. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>()
  const leave = () => left.reject(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await Promise.race([work, left.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

const PLACES = 1e9
const rounded = (value: number): number => Math.round(value * PLACES) / PLACES + 0

const toToken = ({ id, text, logprob }: Omit<GeneratedToken, 'top'>) => ({ id, text, logprob: rounded(logprob) })

const toInference = ({ text, tokens, ...facts }: Generation, seed: number): Inference => ({
  text,
  tokens: tokens.map(({ top, ...token }) => ({ ...toToken(token), top: top.map(toToken) })),
  finish_reason: facts.finishReason,
  prompt_tokens: facts.promptTokens,
  prompt_truncated: facts.promptTruncated,
  completion_tokens: tokens.length,
  prompt_bits_per_byte: facts.promptBitsPerByte === null ? null : rounded(facts.promptBitsPerByte),
  seed,
})
