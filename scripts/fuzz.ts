// `node scripts/fuzz.ts`: a seeded fuzz of a real service over its own description. Arguments: --seed n --requests n
// --store memory|sqlite --from n. A finding ends it with exit 1.
import { parseArgs } from 'node:util'
import { describeReport } from '@orch/server/testing/fuzz/campaign.ts'
import { fuzzService } from '@orch/server/testing/fuzz/fuzz-service.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    requests: { type: 'string', default: '20000' },
    from: { type: 'string', default: '0' },
    store: { type: 'string', default: 'memory' },
  },
})
const report = await fuzzService({
  seed: Number(values.seed),
  requests: Number(values.requests),
  from: Number(values.from),
  store: values.store,
})
process.stdout.write(`${describeReport(report)}\n`)
process.exitCode = report.findings.length > 0 ? 1 : 0
