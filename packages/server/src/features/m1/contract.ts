/** The embedded language model as the rest of the service sees it. */
import type { JobTiming } from '../../platform/compute/job.ts'
import type { GeneratedToken, GenerationRequest } from './model/generate.ts'
import type { Gate, GateCheck, Inference } from './schemas.ts'

export interface M1Request extends GenerationRequest {
  seed: number
}

export interface Answer {
  inference: Inference
  /** Those of the inference, with their bytes. */
  tokens: readonly GeneratedToken[]
  weightsSha256: string
  timing: JobTiming
}

interface AskOptions {
  signal: AbortSignal
  waits: boolean
  /** Whether the beginning of a prompt that does not fit may go unread. */
  mayCut: boolean
  /** Gets the text as it is made. */
  tell?: (text: string) => void
}

export interface M1 {
  /** Every artifact looked at now; digests of files that did not change are not taken twice. */
  gate(): Promise<Gate>
  /** The files alone, compared with what is listed of them: no model is loaded. */
  files(): Promise<{ name: string; sha256: string | null; state: GateCheck['state']; reason: string | null }[]>
  /** The newest one, where there is one: for refusals that come before anything was looked at. */
  newestGate(): Gate | null
  /** There is one slot. Whoever finds it taken is refused, or waits for it where `waits` says so. Rejects with a
   *  `ModelRefusal` or a `PromptTooLong`, or with the error of the compute pool. */
  infer(request: M1Request, options: AskOptions): Promise<Answer>
}
