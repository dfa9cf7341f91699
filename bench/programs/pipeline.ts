// The decision pipeline in process: every gate on the text, Cedar, lambda. No HTTP, no ledger. Prints decisions a second of
// the processor.
import { buildApp } from '../../packages/server/src/app.ts'
import { readConfig } from '../../packages/server/src/config/config.ts'
import { toDecisionRequest } from '../../packages/server/src/features/governance/govern.ts'
import { benchFolder } from '../folder.ts'
import { QUIET } from '../targets/serve.ts'
import { perProcessorSecond } from './processor-rate.ts'

const app = await buildApp(readConfig({ ...QUIET, ORCH_STORE: 'memory', ORCH_DATA: benchFolder() }), {})
const { governance } = app.ports
const caller = { namespace: 'public', owner: 'local', keyId: null, authMode: 'open' as const, scopes: new Set<never>() }
// On a machine that has no time for it a gate holds a text for being late: that is a decision like any other.
await perProcessorSecond(async (text) =>
  governance.decide(await governance.examine(toDecisionRequest({ text }, caller))),
)
await app.close()
process.exit(0)
