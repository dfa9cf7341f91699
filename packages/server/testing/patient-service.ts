// The service as a process, as `src/main.ts` starts it but for the patience of its gates and of its checks, for what it knows
// of the checkout, and for a calibration that nobody waits for.
import { SHIPPED } from '../src/governance/open.ts'
import { serve } from '../src/serve.ts'
import { sharedBuildFacts } from './build-facts.ts'
import { PATIENT } from './gate-workers/patient.ts'

await serve({
  governanceFolders: { ...SHIPPED, ...PATIENT },
  checkLimitMs: 10_000,
  buildFacts: sharedBuildFacts,
  calibrates: false,
})
