/** The gates, the policies and the compute pool as the service opens them, for organs that wrap them. */
import { fileURLToPath } from 'node:url'
import { openCedar } from '../../src/governance/policy/cedar.ts'
import { policiesOf } from '../../src/governance/policy/policies.ts'
import { openGates, RULES_FOLDER } from '../../src/governance/workers/gate-engine.ts'
import { Compute } from '../../src/platform/compute/compute.ts'
import { PATIENT } from '../gate-workers/patient.ts'

const SHIPPED = fileURLToPath(new URL('../../../../policies/', import.meta.url))

export const shippedPolicies = (folder = SHIPPED) => policiesOf(() => openCedar(folder))

/** Closed by `after`, the hook of the test file. */
export function testCompute(after: (close: () => Promise<void>) => void): Compute {
  const compute = new Compute({ threads: 1 })
  after(() => compute.close())
  return compute
}

export async function liveGates(after: (close: () => Promise<void>) => void) {
  const gates = await openGates({ folder: RULES_FOLDER, ...PATIENT.gatePool })
  after(() => gates.close())
  await gates.started()
  return gates
}
