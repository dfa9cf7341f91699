import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startLimited } from '../layer.ts'
import { runCampaign } from './campaign.ts'
import { machinePaths, REAL_CAUSES } from './fuzz-service.ts'
import { PLANTED } from './planted-faults.ts'

const layer = await startLimited({ after }, {}, PLANTED)
const campaign = {
  port: layer.port,
  seed: 1,
  requests: 400,
  slowMs: 60_000,
  patienceMs: 1_500,
  real: REAL_CAUSES,
  secrets: machinePaths(import.meta.dirname),
}
const { findings, sent } = await runCampaign(campaign)
const foundIn = (id: string) => findings.filter(({ operation }) => operation === id)

test('every request of the run was sent', () => {
  assert.equal(sent, 400)
})

for (const [id, kind] of [
  ['planted.throws', 'server error'],
  ['planted.leaks', 'leak'],
  ['planted.misfit', 'misfit reply'],
  ['planted.careless', 'misfit accepted'],
  ['planted.undeclared', 'undeclared refusal'],
  ['planted.hangs', 'no answer'],
] as const)
  test(`${id} is found as ${kind}`, () => {
    const kinds = new Set(foundIn(id).map((finding) => finding.kind))
    assert.ok(kinds.has(kind), `found: ${[...kinds].join(', ') || 'nothing'}`)
  })

test('an operation that does what it says is not accused', () => {
  // A busy machine may lose its patience with any of them; that is no fault of the operation.
  const accused = foundIn('planted.sound').filter(({ kind }) => kind !== 'no answer')
  assert.deepEqual(accused, [])
})

test('what is told to reproduce a failure is as small as the failure allows', () => {
  const failure = foundIn('planted.throws').find(({ kind }) => kind === 'server error')
  assert.match(failure?.reproduce ?? '', /^printf '%b' '\{"amount":100\}' \| curl .*\/planted\/throws'$/)
})
