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

/** Stops a job at many times its deadline. */
class PatientCompute extends Compute {
  override register<Params, Result>(spec: JobSpec<Params>): Job<Params, Result> {
    const { deadlineMs } = spec
    const patient =
      typeof deadlineMs === 'number' ? deadlineMs * PATIENCE : (params: Params) => deadlineMs(params) * PATIENCE
    return super.register({ ...spec, deadlineMs: patient })
  }
}

/** Closed by `after`, the hook of the test file; with the deadlines of the jobs themselves where they are what is tested. */
export function testCompute(after: (close: () => Promise<void>) => void, { isPatient = true } = {}): Compute {
  const compute = isPatient ? new PatientCompute({ threads: 1, waitMs: 60_000 }) : new Compute({ threads: 1 })
  after(() => compute.close())
  return compute
}

export async function liveGates(after: (close: () => Promise<void>) => void) {
  const gates = await openGates({ folder: RULES_FOLDER, ...PATIENT.gatePool })
  after(() => gates.close())
  await gates.started()
  return gates
}
