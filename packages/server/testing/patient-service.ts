// The service as a process, as `src/main.ts` starts it but for the patience of its gates and of its checks, for what it knows
// of the checkout, for looks at its readiness that nobody asked for, which wake the threads of the gates, and for a calibration
// that nobody waits for.
import { SHIPPED } from '../src/governance/open.ts'
import { serve } from '../src/serve.ts'
import { sharedBuildFacts } from './build-facts.ts'
import { LAZY } from './gate-workers/patient.ts'

await serve({
  governanceFolders: { ...SHIPPED, ...LAZY },
  checkLimitMs: 10_000,
  lookMs: 3_600_000,
  buildFacts: sharedBuildFacts,
  calibrates: false,
})
