/** Opens the physics surface: its two jobs, and the committed comparison. */
import { ServiceError } from '../../errors.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Compute } from '../../platform/compute/compute.ts'
import type { Ports } from '../../ports.ts'
import { readBench, toBenchReply } from './bench-artifact.ts'
import type { Pinn } from './contract.ts'
import { SYSTEMS } from './identify/systems.ts'
import { runSelfTest } from './self-test.ts'

const BURGERS_DEADLINE_MS = 8_000
const IDENTIFY_DEADLINE_MS = 10_000

interface Needs extends Pick<Ports, 'clock' | 'artifacts'> {
  compute: Compute
}

export function openPinn({ compute, clock, artifacts }: Needs): { pinn: Pinn } {
  const pinn: Pinn = {
    burgers: compute.register({
      name: 'pinn-burgers',
      module: new URL('./burgers/solve.ts', import.meta.url),
      function: 'solveBurgers',
      deadlineMs: BURGERS_DEADLINE_MS,
      cache: true,
    }),
    identify: compute.register({
      name: 'pinn-identify',
      module: new URL('./identify/job.ts', import.meta.url),
      function: 'identifyJob',
      deadlineMs: IDENTIFY_DEADLINE_MS,
      cache: true,
    }),
    async bench() {
      const found = await readBench(artifacts)
      if (found.state !== 'altered') return toBenchReply(found)
      throw new ServiceError(
        'artifact_digest_mismatch',
        'the committed comparison is not the one that its digest names; ask the operator to restore it',
      )
    },
    async health() {
      const begun = clock.monotonic()
      const { ok, ...self_test } = pinn.selfTest()
      const wall_ms = clock.monotonic() - begun
      const { state } = await readBench(artifacts)
      return {
        ok,
        label: 'MEASURED',
        checked_at: isoNow(clock),
        supported_systems: Object.keys(SYSTEMS),
        self_test: { ...self_test, wall_ms },
        bench: { present: state !== 'absent', digest_verified: state === 'verified' },
      }
    },
    selfTest: runSelfTest,
  }
  return { pinn }
}
