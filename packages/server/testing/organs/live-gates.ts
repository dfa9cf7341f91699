/** The gates, the policies and the compute pool as the service opens them, for organs that wrap them. */
import { fileURLToPath } from 'node:url'
import { openCedar } from '../../src/governance/policy/cedar.ts'
import { policiesOf } from '../../src/governance/policy/policies.ts'
import { openGates, RULES_FOLDER } from '../../src/governance/workers/gate-engine.ts'
import { Compute } from '../../src/platform/compute/compute.ts'
import type { Job, JobSpec } from '../../src/platform/compute/job.ts'
import { PATIENT } from '../gate-workers/patient.ts'
import { PATIENCE } from './try-organ.ts'

const SHIPPED = fileURLToPath(new URL('../../../../policies/', import.meta.url))

export const shippedPolicies = (folder = SHIPPED) => policiesOf(() => openCedar(folder))

/** Stops a job at so many times its deadline, and knows what the job that took longest cost. */
class TestCompute extends Compute {
  /** Of the processor, which a busy machine gives no less of: what a deadline must leave room for. */
  longestJobMs = 0
  readonly #patience: number

  constructor(patience: number) {
    super({ threads: 1, waitMs: 60_000 })
    this.#patience = patience
  }

  override register<Params, Result>(spec: JobSpec<Params>): Job<Params, Result> {
    const { deadlineMs } = spec
    const own = (params: Params) => (typeof deadlineMs === 'number' ? deadlineMs : deadlineMs(params))
    const job = super.register<Params, Result>({ ...spec, deadlineMs: (params) => own(params) * this.#patience })
    return async (...asked) => {
      const done = await job(...asked)
      this.longestJobMs = Math.max(this.longestJobMs, done.timing?.cpuMs ?? 0)
      return done
    }
  }
}

/** Closed by `after`, the hook of the test file; with the deadlines of the jobs themselves where they are what is tested. */
export function testCompute(after: (close: () => Promise<void>) => void, { isPatient = true } = {}): TestCompute {
  const compute = new TestCompute(isPatient ? PATIENCE : 1)
  after(() => compute.close())
  return compute
}

export async function liveGates(after: (close: () => Promise<void>) => void) {
  const gates = await openGates({ folder: RULES_FOLDER, ...PATIENT.gatePool })
  after(() => gates.close())
  await gates.started()
  return gates
}
