/** What may be asked of the autoencoder, and how much work it makes. */
import type { InputFault } from '../../errors.ts'
import type { SaeParameters } from './schemas.ts'

export const DEFAULTS = { seed: 42, d_model: 16, n_features: 128, top_k: 8, batch: 64 }
export const STEPS = 1000
export const MAX_WORK = 6e8
export const DEADLINE_MS = 20_000

/** Multiplications of the dense encoder over the whole training. */
export const workOf = ({ batch, d_model, n_features }: SaeParameters): number => STEPS * batch * d_model * n_features

/** The bounds of one parameter that rest on another. */
export function parameterFaults({ d_model, n_features, top_k }: SaeParameters): InputFault[] {
  const faults: InputFault[] = []
  if (n_features <= d_model) {
    const msg = `must be at least ${d_model + 1}: a dictionary has more features than the ${d_model} dimensions of the data`
    faults.push({ loc: ['query', 'n_features'], msg, type: 'minimum', ctx: { ge: d_model + 1 } })
  }
  if (top_k > n_features) {
    const msg = `must be at most ${n_features}, the number of features`
    faults.push({ loc: ['query', 'top_k'], msg, type: 'maximum', ctx: { le: n_features } })
  }
  return faults
}
