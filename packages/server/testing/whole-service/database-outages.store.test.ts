import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseOutages } from '../database-outages.ts'
import { postgresUnavailable } from '../postgres.ts'

const ITERATIONS = 3
const SEED = 20_261_116

test(`the postmaster killed in ${ITERATIONS} rounds under two nodes: no node dies, nothing acknowledged is lost, both come back`, async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  t.diagnostic(`seed ${SEED}`)
  const { iterations, acknowledged, stored, refused, findings } = await databaseOutages(ITERATIONS, SEED)
  t.diagnostic(`${acknowledged} acknowledged, ${refused} refused, ${stored} stored`)
  assert.deepEqual(findings, [])
  assert.equal(iterations, ITERATIONS)
  assert.ok(acknowledged > 20, 'the writers wrote')
  assert.ok(refused > 0, 'the store was away')
})
