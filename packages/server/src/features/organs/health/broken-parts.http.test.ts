// Every part that a role of organ health stands for is broken on purpose, in the real service: its own check fails, the
// others of the same kind do not, and it is well again when the part is.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { outsideSqlite } from '#testing/outside-store.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { post, send } from '#testing/raw-http.ts'
import { freeBytes } from '../../../adapters/telemetry/readiness.ts'
import { SHIPPED } from '../../../governance/open.ts'
import { Compute } from '../../../platform/compute/compute.ts'
import { claimCompiler } from '../../claims/rules/compiler.ts'
import { localRunner } from '../run.ts'
import { BUILT_IN } from '../tool/tools.ts'
import { checksOf, ROLES, type Role } from './checks.ts'
import { SENTINEL_WORD } from './sentinel.ts'

const folder = freshFolder('broken-parts')
const governanceFolders = { rules: join(folder, 'rules'), policies: join(folder, 'policies') }
for (const name of ['rules', 'policies'] as const) cpSync(SHIPPED[name], governanceFolders[name], { recursive: true })
after(() => rmSync(folder, { recursive: true, force: true }))
/** Nobody listens there. */
const gone = { id: 'gone', base_url: 'http://127.0.0.1:9/v1', model: 'x', zone: 'local' }
const env = { ORCH_STORE: 'sqlite', ORCH_UPSTREAMS: JSON.stringify([gone]) }
const service = await startApp({ after }, env, [], { governanceFolders })
const { ports } = service.app
const store = await outsideSqlite(service.data)
after(() => store.close())
for (const text of ['one', 'two', 'three'])
  await post(`${service.url}/api/orch/v1/wow/govern`, JSON.stringify({ text: `What is ${text} in French?` }))

const needs = { ...ports, ...ports.organs, runLocally: localRunner(ports.organs) }
type Needs = Parameters<typeof checksOf>[0]

/** The checks of a role that fail now; a check that throws has failed. */
async function failing(role: Role, replaced: Partial<Needs> = {}): Promise<string[]> {
  const { signal } = new AbortController()
  const found = await Promise.all(
    checksOf({ ...needs, ...replaced })[role].map(async ({ name, run }) => {
      const { passed } = await run(signal).catch(() => ({ passed: false }))
      return passed === false ? [name] : []
    }),
  )
  return found.flat()
}
const everyFailing = async () => {
  const found: Record<string, string[]> = {}
  for (const role of ROLES) {
    const names = await failing(role)
    if (names.length > 0) found[role] = names
  }
  return found
}

test('nothing fails while nothing is broken', async () => {
  assert.deepEqual(await everyFailing(), {})
})

test('brain: an organ that is missing, and an example that comes out otherwise', async () => {
  const all = ports.organs.all as Map<string, NonNullable<ReturnType<typeof ports.organs.all.get>>>
  const [first, routing] = [all.get('N1')!, all.get('N18')!]
  all.delete('N1')
  assert.deepEqual(await failing('brain', { isBuilt: () => true }), ['definitions', 'example of N1'])
  const entries = [...all]
  all.clear()
  for (const [id, one] of [['N1', first] as const, ...entries]) all.set(id, one)
  const example = { ...routing.organ.example, request: { op: 'route', request: { prompt_tokens: 1 } } }
  all.set('N18', { ...routing, organ: { ...routing.organ, example } })
  assert.deepEqual(await failing('brain'), ['example of N18'])
  all.set('N18', routing)
  assert.deepEqual(await failing('brain'), [])
})

test('care: a full disk, effects that nobody takes and leases that ran out', async () => {
  assert.deepEqual(await failing('care', { freeBytes: freeBytes(service.data, Number.MAX_SAFE_INTEGER) }), [
    'free space',
  ])
  const effect = (n: number, state: string, rank: number) => ({
    ...{ space: 'gdw.effect/public', key: n.toString(16).padStart(64, '0'), expect: 0 },
    ...{ owner: 'public/local', state, rank, value: '{}' },
  })
  const long = Date.now() - 3_600_000
  await store.restoring(
    () => ports.ledger.writeDocuments([effect(1, 'PENDING', long)]),
    async () => assert.deepEqual(await failing('care'), ['backlog']),
  )
  const claims = Array.from({ length: 101 }, (_, n) => effect(n + 2, 'CLAIMED', long))
  await store.restoring(
    () => ports.ledger.writeDocuments(claims),
    async () => assert.deepEqual(await failing('care'), ['backlog']),
  )
  assert.deepEqual(await failing('care'), [])
})

test('companion: a tool that is gone', async () => {
  const tools = BUILT_IN as unknown as { name: string }[]
  const whole = [...tools]
  tools.splice(0, tools.length, ...whole.filter(({ name }) => name !== 'hash'))
  assert.deepEqual(await failing('companion'), ['list', 'hash of abc'])
  tools.splice(0, tools.length, ...whole)
  assert.deepEqual(await failing('companion'), [])
})

test('drones: a pool that has ended', async () => {
  const compute = new Compute({ threads: 1 })
  const module = new URL('../echo-job.ts', import.meta.url)
  const echo = compute.register<{ value: number }, number>({ name: 'echo', module, function: 'echo', deadlineMs: 400 })
  await compute.close()
  assert.deepEqual(await failing('drones', { compute, echo }), ['round trip'])
})

test('immune and sentinel: a gate that finds nothing any more', async () => {
  const { gates } = ports
  const { examine } = gates
  gates.examine = async (request) => {
    const found = await examine.call(gates, request)
    return { ...found, findings: found.findings.filter(({ gate }) => gate !== 'pii-egress-guard') }
  }
  assert.deepEqual(await failing('sentinel'), ['pii-egress-guard'])
  assert.deepEqual(await failing('immune'), ['secrets', 'pii'])
  gates.examine = () => Promise.reject(new Error('the gates are gone'))
  assert.deepEqual(await failing('sentinel'), ['threat-signature-scan', 'pii-egress-guard'])
  assert.ok((await failing('immune')).includes('injection'))
  gates.examine = examine
  assert.deepEqual([await failing('sentinel'), await failing('immune')], [[], []])
})

test('memory: a sentinel that was altered, one that is gone, and an index without full-text search', async () => {
  const altered = "UPDATE documents SET value = replace(value, $1, 'nightshade') WHERE space = 'organ.n15.record'"
  await store.restoring(
    () => store.run(altered, SENTINEL_WORD),
    async () => {
      const { memory, ...others } = await everyFailing()
      assert.ok(memory?.includes('sentinel record'))
      assert.deepEqual(others, {})
    },
  )
  await store.restoring(
    () => store.run("DELETE FROM documents WHERE space = 'organ.n15.record'"),
    async () => assert.ok((await failing('memory')).includes('sentinel record')),
  )
  const plantSentinel = async () => 'the store did not answer in time'
  assert.deepEqual(await failing('memory', { plantSentinel }), [], 'an earlier start had written it')
  assert.deepEqual(await failing('memory', { organVersion: () => '0.9.0' }), ['sentinel record'])
  const runLocally: Needs['runLocally'] = (id, body, signal) =>
    body.op === 'search' ? Promise.reject(new Error('no such module: fts5')) : needs.runLocally(id, body, signal)
  assert.deepEqual(await failing('memory', { runLocally }), ['word of the sentinel'])
  assert.deepEqual(await failing('memory'), [])
})

test('operator: credentials that cannot be read, and rules on the disk that are not the active ones', async () => {
  assert.deepEqual(await failing('operator', { credentialFault: () => 'not JSON' }), ['registry'])
  const file = join(governanceFolders.rules, 'gates.json')
  writeFileSync(file, '{')
  assert.deepEqual(await failing('operator'), ['rules of the gates'])
  cpSync(join(SHIPPED.rules, 'gates.json'), file)
  assert.deepEqual(await failing('operator'), [])
})

test('orchestrator: a signer with another key, and one that fails its self-test', async () => {
  const { ledger } = ports
  const { signer } = ledger
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ledger.signer = { ...signer, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
  assert.deepEqual(await failing('orchestrator'), ['self-test', 'newest signature'])
  ledger.signer = { ...signer, test: { ...signer.test, ok: false } }
  assert.deepEqual(await failing('orchestrator'), ['self-test'])
  ledger.signer = signer
  assert.deepEqual(await failing('orchestrator'), [])
})

test('policy: a set on the disk that is not the active one, and an engine that allows everything', async () => {
  const added = join(governanceFolders.policies, 'added.cedar')
  writeFileSync(added, 'this is no policy')
  assert.deepEqual(await failing('policy'), ['active set'])
  rmSync(added)
  const { policies } = ports
  const { authorize } = policies
  policies.authorize = (...asked) => ({ ...authorize.apply(policies, asked), outcome: 'allow' })
  assert.deepEqual(await failing('policy'), ['known answers'])
  policies.authorize = authorize
  assert.deepEqual(await failing('policy'), [])
})

test('reasoning: a compiler that judges otherwise', async () => {
  const other = { ...claimCompiler, evaluate: () => ({ overall_state: 'VERIFIED' }) } as unknown as typeof claimCompiler
  assert.deepEqual(await failing('reasoning', { claims: { ready: true, compiler: other } }), ['fixed vector'])
  assert.deepEqual(await failing('reasoning', { claims: { ready: false, fault: 'it did not load' } }), ['fixed vector'])
})

test('vessels: a provider that is left alone because it keeps failing', async () => {
  const call = JSON.stringify({ op: 'route', request: { task: 'hello' }, call: true })
  const isOpen = () => ports.upstreams.targets().some(({ breaker }) => breaker === 'open')
  // The breaker of the organ opens first and rests for a second; the service's own needs two failures more.
  const { signal } = new AbortController()
  await post(`${service.url}/api/orch/v1/organs/N18`, call)
  const body = { model: 'x', messages: [{ role: 'user', content: 'hello' }] }
  for (let n = 0; n < 5 && !isOpen(); n += 1) await ports.upstreams.complete('gone', { body, deadlineMs: 1000 }, signal)
  assert.deepEqual(await failing('vessels'), ['model targets'])
})

test('a store that is away fails what reads it and nothing else', async () => {
  const { readerThread } = ports.ledger as unknown as { readerThread: { ask(message: object): Promise<unknown> } }
  const { ask } = readerThread
  readerThread.ask = () => Promise.reject(new Error('EIO: /var/lib/ledger'))
  const found = await everyFailing()
  assert.deepEqual(found.memory, ['sentinel record', 'word of the sentinel', 'head'])
  assert.ok(found.orchestrator!.includes('newest links') && found.care!.includes('backlog'))
  for (const role of ['policy', 'sentinel', 'reasoning', 'drones', 'brain']) assert.equal(found[role], undefined, role)
  const { json } = await send(`${service.url}/api/orch/v1/organ-health/memory`, { method: 'GET' })
  assert.equal(json.state, 'DOWN')
  assert.ok(!JSON.stringify(json).includes('/var/lib'))
  readerThread.ask = ask
  assert.deepEqual(await failing('memory'), [])
})

// The last one: a ledger that has found a break stays stopped.
test('orchestrator: a link that was altered, which stops the steps as well and no other role', async () => {
  const altered = `UPDATE receipts SET body = CAST(replace(CAST(body AS TEXT), '"seq":1', '"seq":7') AS BLOB)`
  await store.run(`${altered} WHERE node_index = 1`)
  assert.ok((await failing('orchestrator')).includes('newest links'))
  assert.deepEqual(await failing('orchestrator'), ['newest links', 'blockers'])
  for (const role of ['memory', 'care', 'operator', 'policy', 'sentinel'] as const)
    assert.deepEqual(await failing(role), [], role)
})
