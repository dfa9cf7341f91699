/** Loads the claim compiler and has it prove itself before anybody may ask it anything. A compiler that does not load
 *  takes its own three operations out of service and nothing else. */

import type { Check, ClaimEngine, Log } from '../../ports.ts'
import type { ClaimCompiler } from './rules/compiler.ts'

export const loadShipped = async (): Promise<ClaimCompiler> => (await import('./rules/compiler.ts')).claimCompiler

export async function loadClaimCompiler(load: () => Promise<ClaimCompiler>, log: Log): Promise<ClaimEngine> {
  try {
    const compiler = await load()
    const fault = selfTestFault(compiler)
    return fault === null ? { ready: true, compiler } : { ready: false, fault }
  } catch (error) {
    log.error({ err: error }, 'the claim compiler did not load')
    return { ready: false, fault: 'the claim compiler did not load' }
  }
}

export const claimsCheck = (engine: ClaimEngine): Check => ({
  name: 'claims',
  blocking: () => false,
  run: async () =>
    engine.ready
      ? { state: 'OK', detail: { self_test: 'passed' } }
      : { state: 'FAILED', detail: { code: 'CLAIM_COMPILER_UNAVAILABLE', reason: engine.fault } },
})

/** Texts that must be cut as they have always been cut before the compiler is asked anything. */
const EXPECTED: readonly (readonly [text: string, spans: string])[] = [
  ['Dr. Smith paid $3.50. It rose!  Then; fell?\n- one\n* two\n\n1. three', '0-21 22-30 32-37 38-43 46-49 52-55 60-65'],
  ['Hello world.', '0-12'],
  ['-5 degrees is cold.', '0-19'],
  ['- 5 degrees', '2-11'],
  ['  \ufeff+3% growth', '3-13'],
]
const KNOWN_ID = 'candidate-0001-3e6a9a6ef939'
const KNOWN_DIGEST = 'aa3ec16e6acc'

/** The first thing that is not as it must be, or null. */
function selfTestFault({ atomize }: Pick<ClaimCompiler, 'atomize'>): string | null {
  for (const [index, [text, spans]] of EXPECTED.entries()) {
    const found = atomize(text, '').atoms.map(({ span }) => `${span.start}-${span.end}`)
    if (found.join(' ') !== spans) return `text ${index + 1} of the self-test was cut differently`
  }
  const known = atomize('Hello world.', '')
  if (known.atoms[0]?.claim_id !== KNOWN_ID) return 'a candidate of the self-test has another id'
  return known.text_sha256.startsWith(KNOWN_DIGEST) ? null : 'a text of the self-test has another digest'
}
