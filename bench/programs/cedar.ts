// Time of one policy decision, in microseconds: the engine each time, and a decision that was made before.
import { join } from 'node:path'
import { governRequest } from '../../packages/server/src/domain/policy/requests.ts'
import { openCedar } from '../../packages/server/src/governance/policy/cedar.ts'

const DECISIONS = 20_000
const folder = join(import.meta.dirname, '..', '..', 'policies')
const facts = {
  owner: 'local',
  namespace: 'local',
  effect: 'write',
  tool: 'note_put',
  registered: { effect: 'write' },
} as const
const request = governRequest({ ...facts, rank: 0, tainted: false, approved: false })

for (const [name, cache] of Object.entries({ engine: 0, remembered: 1024 })) {
  const { authorize } = openCedar(folder, { cache })
  for (let warm = 0; warm < DECISIONS / 10; warm++) authorize(request)
  const started = performance.now()
  for (let at = 0; at < DECISIONS; at++)
    if (authorize(request).outcome !== 'allow') throw new Error('the decision of the bench is an allow')
  process.stdout.write(`${name} ${(((performance.now() - started) / DECISIONS) * 1000).toFixed(2)} us per decision\n`)
}
