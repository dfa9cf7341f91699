/** Writes the interface description to stdout; the committed openapi.json is compared with it. */

import { allOperations } from '../packages/server/src/features/index.ts'
import { openApi } from '../packages/server/src/http/openapi.ts'
import type { Ports } from '../packages/server/src/ports.ts'

// Describing needs no running service: no port is touched until an operation runs.
process.stdout.write(`${JSON.stringify(openApi(allOperations({} as Ports)), null, 2)}\n`)
