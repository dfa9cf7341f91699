/** Loads the claim compiler and has it prove itself before anybody may ask it anything. A compiler that does not load
 *  takes its own three operations out of service and nothing else. */

import type { Check, ClaimEngine, Log } from '../../ports.ts'
import type { ClaimCompiler } from './rules/compiler.ts'
import { selfTestFault } from './rules/self-test.ts'

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
