/** The simulated rows of sample mode. Each is a function of the number the caller asked with and of nothing else, stands
 *  on a chain of its own, and no key signs it. */
import { DECISIONS, LAMBDA, sha256, simulated } from '@orch/core'
import { SAMPLE_CHAIN } from '../../domain/receipts/governance-page.ts'
import { VERTICALS } from '../../domain/vertical.ts'
import type { Draft } from '../../ports.ts'

const SIMULATOR = 'orch.sample'

export const sampleDraft = (seed: number): Draft => ({
  chain: SAMPLE_CHAIN,
  kind: 'sample',
  unsigned: true,
  payload: {
    ...simulated({
      simulator: SIMULATOR,
      version: '1',
      seed,
      assumptions: ['the fields are picked by the bytes of SHA-256 over the simulator, its version and the seed'],
      not_real: ['nobody asked, no gate ran, nothing was decided'],
      value: pickedBy(sha256(new TextEncoder().encode(`${SIMULATOR}/1 ${seed}`))),
    }),
  },
  answer: {},
})

function pickedBy(bytes: Uint8Array) {
  const [vertical = 0, decision = 0, high = 0, low = 0] = bytes
  const share = (high * 256 + low) / 65_536
  return {
    vertical: VERTICALS[vertical % VERTICALS.length],
    action: 'simulated',
    decision: DECISIONS[decision % DECISIONS.length],
    lambda: Math.round(LAMBDA.trust_ceiling * share * 1e6) / 1e6,
    gates_fired: [],
  }
}
