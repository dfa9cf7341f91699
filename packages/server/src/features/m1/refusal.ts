/** Why the embedded model does not answer. */
import type { Gate } from './schemas.ts'

/** The model does not read all of it and must not pass over a part. */
export class PromptTooLong extends Error {}

/** With the gate that says so. */
export class ModelRefusal extends Error {
  readonly code: 'model_gate_blocked' | 'model_unavailable' | 'inference_slot_busy'
  readonly gate: Gate

  constructor(code: ModelRefusal['code'], gate: Gate) {
    super(code)
    this.name = 'ModelRefusal'
    this.code = code
    this.gate = gate
  }
}
