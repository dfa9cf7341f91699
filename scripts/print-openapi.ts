/** Writes the interface description to stdout; the committed openapi.json is compared with it. */

import { allOperations, type FeaturePorts } from '../packages/server/src/features/index.ts'
import { openApi } from '../packages/server/src/http/openapi.ts'

// Describing needs no running service: no port is touched until an operation runs.
process.stdout.write(`${JSON.stringify(openApi(allOperations({} as FeaturePorts)), null, 2)}\n`)
