import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { send } from '#testing/raw-http.ts'
import { ROLES } from './checks.ts'

const service = await startApp({ after }, { ORCH_STORE: 'memory' })
const get = (path: string, method = 'GET') => send(`${service.url}${path}`, { method })
const INDEX = '/api/orch/v1/organ-health'

test('every role is there, sorted, with the counts and the worst state of all', async () => {
  const { status, json } = await get(INDEX)
  assert.equal(status, 200)
  assert.deepEqual(
    json.roles.map(({ role }: { role: string }) => role),
    [...ROLES].sort(),
  )
  const { total, up, degraded, down, unknown } = json.aggregate
  assert.deepEqual([total, up + degraded + down + unknown], [12, 12])
  assert.equal(json.ok, down === 0)
  assert.equal(down, 0, JSON.stringify(json.roles.filter(({ state }: { state: string }) => state === 'DOWN')))
})

test('a role shows its checks, its name is trimmed and lower-cased, and the alias answers likewise', async () => {
  for (const path of [`${INDEX}/policy`, `${INDEX}/%20PoLiCy%20`, '/v1/organ-health/policy']) {
    const { json } = await get(path)
    assert.deepEqual([json.role, json.state, json.up], ['policy', 'UP', true], JSON.stringify(json))
    assert.ok(json.checks.every(({ passed }: { passed: boolean }) => passed === true))
  }
  assert.equal((await get(INDEX, 'HEAD')).status, 200)
})

test('an unknown role is 404 and the message lists the twelve', async () => {
  const { status, json } = await get(`${INDEX}/nobody`)
  assert.deepEqual([status, json.error.code], [404, 'unknown_role'])
  for (const role of ROLES) assert.ok(json.error.message.includes(role))
})

test('a run that began before the request is told as a sample with its age', async () => {
  const [first, second] = [await get(`${INDEX}/sentinel`), await get(`${INDEX}/sentinel`)]
  assert.deepEqual([second.json.mode, second.json.label], ['cached', 'SAMPLE'])
  assert.equal(second.json.checked_at, first.json.checked_at)
})

test('no two roles report from the same check, and reading changes nothing in the ledger', async () => {
  const before = (await service.app.ports.ledger.reader.head()).size
  const names: string[] = []
  for (const role of ROLES) {
    const { json } = await get(`${INDEX}/${role}`)
    names.push(...json.checks.map(({ subsystem, name }: Record<string, string>) => `${subsystem}/${name}`))
  }
  assert.equal(new Set(names).size, names.length)
  assert.equal((await service.app.ports.ledger.reader.head()).size, before)
})
