// The service as a process, with the operations that try the layer: for tests of starting and stopping.
import { SHIPPED } from '../src/governance/open.ts'
import { serve } from '../src/serve.ts'
import { sharedBuildFacts } from './build-facts.ts'
import { PATIENT } from './gate-workers/patient.ts'
import { LAYER_OPERATIONS } from './layer-operations.ts'

await serve({
  extra: LAYER_OPERATIONS,
  governanceFolders: { ...SHIPPED, ...PATIENT },
  buildFacts: sharedBuildFacts,
  calibrates: false,
})
