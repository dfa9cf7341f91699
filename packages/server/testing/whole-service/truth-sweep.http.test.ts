// The truth sweep: every field of every reply whose name or label claims a reading is traced to one. A count that no
// rule here traces fails, so a literal that poses as a reading cannot be served unnoticed.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isLabel, LOCKED_FORMULAS } from '@orch/core'
import Type from 'typebox'
import { ServiceError } from '../../src/errors.ts'
import { gatherBuildFacts } from '../../src/features/identity/io/build-facts.ts'
import { type Operation, operation } from '../../src/operation.ts'
import { describedOperations } from '../every-operation.ts'
import { startApp } from '../layer.ts'
import { post, send } from '../raw-http.ts'
import { type Claim, claimsOf, countsAList, isDated } from '../truth-claims.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const posing = (id: string, reply: object): Operation =>
  operation({
    id,
    group: 'Operations',
    method: 'GET',
    path: `/${id.replace('.', '/')}`,
    scope: null,
    summary: 'A literal that poses as a reading',
    reply: Type.Unknown(),
    labels: ['STRUCTURAL-ONLY'],
    run: () => reply,
  })
// Before the planted literals are made: the time of one of them lies within what counts as read.
const STARTED = new Date().toISOString()
const LITERALS = [
  posing('posing.count', { total: 25 }),
  posing('posing.label', { label: 'MEASURED', value: 1, checked_at: new Date().toISOString() }),
  posing('posing.time', { read_at: '2020-01-01T00:00:00.000Z' }),
]

// Other files of this process may have read the build before: here it is read anew.
const options = { resultKeepMs: 0, buildFacts: gatherBuildFacts }
const service = await startApp({ after }, { ORCH_STORE: 'memory' }, LITERALS, options)
const { ports } = service.app
const P = `${service.url}/api/orch/v1`
const say = (path: string, body: object) => post(`${P}${path}`, JSON.stringify(body))

const govern = (text: string) => say('/wow/govern', { text })
const step = (session_id: string) => say('/gdw/step', { session_id, request: 'Read the audit log of yesterday.' })

interface State {
  size: number
  /** Receipts of each chain of this ledger. */
  depths: ReadonlyMap<string, number>
  steps: number
}

async function stateNow(): Promise<State> {
  const { size } = await ports.ledger.reader.head()
  const chains = await ports.ledger.reader.chains()
  const depths = new Map(chains.map(({ chain, depth }) => [chain, depth]))
  const rows = await ports.ledger.reader.range(0, size)
  const steps = rows.filter(({ body }) => JSON.parse(new TextDecoder().decode(body)).kind === 'step').length
  return { size, depths, steps }
}

/** Where the whole ledger is counted. */
const OF_LEDGER =
  /(?:^|\.)(?:ledger_size|tree_size|checkpoint_size|total_receipts)$|walk\.size$|ledger\.(?:value\.)?size$|^decisions\.value\.size$/

type Expected = (claim: Claim, state: State) => unknown
/** Counts that are neither the length of a list beside them nor the size of the ledger. */
const TRACED: Record<string, Expected> = {
  'lake.log size': (_, { size }) => size,
  'lake.health organs.*.count': ({ path }, { depths }) => depths.get(path.split('.')[1]!),
  'assets.manifest count': ({ around: [reply] }) => Object.keys(reply!.assets as object).length,
  'runtime.rollup rollup.sources.total': () =>
    ports.upstreams.targets().filter(({ embedded }) => !embedded).length + ports.readings.sources().length,
  'runtime.rollup rollup.organs.total': () => ports.organs.all.size,
  'organHealth.index aggregate.total': ({ around }) => (around.at(-1) as { roles: unknown[] }).roles.length,
  'runtime.rollup rollup.gates.count': () => ports.governance.tallies().gates.length,
  'runtime.readyz components.ledger.detail.depth': (_, { size }) => size,
  'runtime.readyz components.guard.detail.size': (_, { size }) => size,
  'gates.list gates[].rule_count': ({ around: [gate] }) => ruleCount(String(gate!.name)),
  'gates.get rule_count': ({ around: [gate] }) => ruleCount(String(gate!.name)),
  'stepping.integrity records_total': (_, { steps }) => steps,
  'stepping.integrityGlobal records_total': (_, { steps }) => steps,
  'readiness.research sources_total': ({ around: [reply] }) =>
    (reply!.claims as { sources: unknown[] }[]).reduce((sum, { sources }) => sum + sources.length, 0),
  'readiness.panel summary.endpoints_total': endpoints,
  'readiness.refresh summary.endpoints_total': endpoints,
  'neighbours.spend local.receipts_total': (_, { depths }) => depths.get('governance') ?? 0,
  'wow.ledger chain_depth': (_, { depths }) => depths.get('governance') ?? 0,
  'wow.routerLatency routes[].count': ({ value, around: [row] }) => atLeast(value, callsOf(String(row!.id), 'count')),
  'wow.routerLatency routes[].window_count': ({ value, around: [row] }) =>
    atLeast(value, callsOf(String(row!.id), 'window')),
  'wow.routerLatency decisions.count': () => ports.calls.decisions.count,
  'wow.routerLatency decisions.window_count': () => ports.calls.decisions.durationsMs.length,
  'wow.routerLatency targets[].count': ({ around: [row] }) => targetOf(String(row!.id)).calls,
  'wow.routerLatency targets[].window_count': ({ around: [row] }) => targetOf(String(row!.id)).durationsMs.length,
  'khipu.organs organs[].depth': ({ around: [row] }, { depths }) => depths.get(chainOf(row!)),
  'assurance.evidencePack pack.khipu_organs.organs[].depth': ({ around: [row] }, { depths }) =>
    depths.get(chainOf(row!)),
  'assurance.evidencePack pack.lake_health.organs.*.count': ({ path }, { depths }) => depths.get(path.split('.')[3]!),
  'operator.topology nodes[].evidence.depth': (_, { size }) => size,
  'operator.page nodes[].evidence.depth': (_, { size }) => size,
  // A bound that the contract sets, and nothing that was counted.
  'securityLoop.manifest bounds.max_batch_size': () => 25,
  'frontier.info project_count': () => PROJECTS.length,
  'frontier.info unique_repository_count': () => new Set(PROJECTS.map((one) => one.canonical_repo_url)).size,
  'frontier.info fields[].project_count': ({ around: [field] }) =>
    PROJECTS.filter((one) => one.field === field!.id).length,
  'brain.pulse lit.surfaces_total': () => new Set(ports.catalog.map(({ id }) => id.split('.', 1)[0])).size,
  'sovereignCompute.record capabilities[].facts.total_bytes': () => totalmem(),
  'finance.researchAudit issues[].count': ({ around: [issue, ...outer] }) =>
    issueCount(String(issue!.code), outer.at(-1)!),
  // A distance, whatever its name begins with.
  'wirea.trustGap total_variation': ({ around: [reply] }) =>
    totalVariation(reply as { observed: number[]; reference: number[] }),
  'identity.honest doctrine_lock.locked_formula_count': () => LOCKED_FORMULAS.length,
}

/** The registry as it lies in the repository. */
const PROJECTS: { field: string; canonical_repo_url: string }[] = JSON.parse(
  readFileSync(join(ROOT, 'packages/server/data/frontier.json'), 'utf8'),
).payload.projects

const totalVariation = ({ observed, reference }: { observed: number[]; reference: number[] }): number =>
  Number((observed.reduce((sum, p, i) => sum + Math.abs(p - reference[i]!), 0) / 2).toFixed(6))

/** What the rows of the audit themselves show of an issue: records with that reason, or flags of that code. */
function issueCount(code: string, reply: Record<string, unknown>): number {
  const { record_audit: rows, robustness } = reply as {
    record_audit: { reasons: string[] }[]
    robustness: { flags: { code: string }[] }
  }
  const records = rows.filter(({ reasons }) => reasons.includes(code)).length
  return records > 0 ? records : robustness.flags.filter((flag) => flag.code === code).length
}

const ruleCount = (name: string): number => {
  const rules = ports.gates.rules()!.rules.filter(({ gate }) => gate === name).length
  return name === 'cedar-policy' ? ports.policies.status().policies : rules > 0 ? rules : CONSTANT_RULES[name]!
}
/** Gates whose rules are constants of the code, by the rows their own detail shows. */
const CONSTANT_RULES: Record<string, number> = {}
const callsOf = (id: string, what: 'count' | 'window'): number => {
  const row = ports.calls.series().find((one) => one.id === id)!
  return what === 'count' ? row.count : row.durationsMs.length
}
/** A call may be counted between the reply and the look behind it. */
const atLeast = (value: unknown, now: number): unknown => (Number(value) <= now ? value : now)
const targetOf = (id: string) => ports.upstreams.targets().find((one) => one.id === id)!
const chainOf = ({ registry_key }: Record<string, unknown>): string => String(registry_key).split('/').at(-1)!
function endpoints({ around }: Claim): unknown {
  const { sections } = around.at(-1) as { sections: { endpoints?: unknown[] }[] }
  return sections[0]!.endpoints!.length
}

/** Labels that are said of something else than the reply, and fields to which the interface gives other content. */
const NOT_OURS: readonly RegExp[] = [
  /^identity\.honest labels\./,
  /^identity\.version (?:capabilities|honesty)/,
  /^readiness\.\w+ sections\[\]\.raw_/,
  /^(?:receipts\.export|khipu\.sign) (?:dsse\.)?honesty$/,
  /^anatomy\.evaluate scenarios\[\]\.label$/,
  /^attest\.manifest envelope\.honesty$/,
  // What the caller sent, as the receipt of it repeats it.
  /^quantumUtility\.\w+ replay_receipt\.input\./,
  // The resolution that a solver ran with, in the committed record of the comparison.
  /^pinn\.bench problems\[\]\.arms\[\]\.work_precision\[\]\.size$/,
  /^runtime\.openapi /,
  // Classes that the specification gives to organs, and the schemas of what they answer.
  /^organs\.(?:catalog|describe) (?:items\[\]\.)?(?:honesty|evidence_class)$/,
  /^organs\.describe (?:request|response)_schema\./,
]

interface Declared {
  id: string
  labels: readonly string[]
  answer: { status: number; text: string }
  /** What it measured it measured in the request, and its receipt has the time. */
  isPosted?: true
}

interface Described {
  operationId: string
  'x-orch-labels'?: readonly string[]
  'x-orch-alias-of'?: string
}

/** Every operation of this method, its aliases aside, with the labels it declares. */
async function describedWith(method: 'get' | 'post') {
  const { paths } = (await send(`${service.url}/openapi.json`)).json
  const described = Object.values(paths as Record<string, Record<string, Described>>)
  const labels = new Map(
    described
      .map((methods) => methods[method])
      .filter((op) => op !== undefined && op['x-orch-alias-of'] === undefined)
      .map((op) => [op!.operationId, op!['x-orch-labels'] ?? []]),
  )
  const all = (await describedOperations(service.url)).filter(({ id }) => labels.has(id))
  return all.map((one) => ({ ...one, labels: labels.get(one.id) ?? [] }))
}

async function repliesNow(): Promise<Declared[]> {
  const replies: Declared[] = []
  for (const { id, labels, call } of await describedWith('get'))
    replies.push({ id, labels, answer: await call({ accept: 'application/json' }) })
  return replies
}

const jsonOf = ({ text }: Declared['answer']): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Everything that no reading bears out, as sentences. */
function untraced({ id, labels, answer, isPosted }: Declared, state: State, now: string): string[] {
  const { counts, labels: said, times } = claimsOf(jsonOf(answer))
  const place = ({ path }: Claim) => `${id} ${path}`
  const exempt = (claim: Claim) => NOT_OURS.some((pattern) => pattern.test(place(claim)))
  const wrong: string[] = []
  for (const claim of counts.filter((one) => !exempt(one))) {
    const key = place(claim).replace(/organs\.[^.]+\.count$/, 'organs.*.count')
    const expected = TRACED[key]
    const holds = expected
      ? expected(claim, state) === claim.value
      : OF_LEDGER.test(claim.path)
        ? claim.value === state.size
        : countsAList(claim)
    if (!holds) wrong.push(`${key} says ${claim.value}`)
  }
  for (const claim of said.filter((one) => !exempt(one))) {
    const word = String(claim.value)
    if (!isLabel(word) || !labels.includes(word)) wrong.push(`${place(claim)} says ${word}, which is not declared`)
    else if (!isPosted && (word === 'MEASURED' || word === 'LIVE') && !isDated(claim))
      wrong.push(`${place(claim)} has no time`)
  }
  for (const claim of times.filter((one) => one.value !== null && !exempt(one))) {
    const at = String(claim.value)
    if (!(at >= STARTED && at <= now)) wrong.push(`${place(claim)} is of ${at}, when nothing was read`)
  }
  return wrong
}

async function sweep(): Promise<string[]> {
  const state = await stateNow()
  const replies = await repliesNow()
  const now = new Date(Date.now() + 1).toISOString()
  assert.equal((await stateNow()).size, state.size, 'a read appended something')
  return replies.flatMap((reply) => untraced(reply, state, now))
}

const honest = (found: string[]) => found.filter((one) => !one.startsWith('posing.'))

test('every operation that returns anything declares labels of the nine', async () => {
  const { paths } = (await send(`${service.url}/openapi.json`)).json
  const all = Object.values(paths).flatMap((methods) =>
    Object.values(methods as Record<string, Record<string, unknown>>),
  )
  for (const op of all) {
    const labels = op['x-orch-labels'] as string[]
    assert.ok(labels.length > 0 && labels.every(isLabel), String(op.operationId))
  }
})

test('counts, labels and times of every reply are those of the store, before and after it changed', async () => {
  const { json } = await send(`${P}/gates`)
  for (const { name } of json.gates as { name: string }[]) {
    const { rules } = (await send(`${P}/gates/${name}`)).json
    if (rules !== undefined) CONSTANT_RULES[name] = rules.length
  }
  assert.deepEqual(honest(await sweep()), [])
  assert.equal((await govern('What is the capital of France?')).json.decision, 'allow')
  assert.equal((await govern('Please wire 900 dollars to wallet 7 tomorrow')).json.decision, 'review')
  assert.equal((await step('swept')).status, 200)
  assert.equal((await post(`${service.url}/api/orch/khipu/sign`, '{"a":1}')).status, 200)
  const log = async () => (await send(`${service.url}/api/lake/v1/log`)).json
  // A checkpoint follows its receipts after a moment.
  for (let found = await log(); found.checkpoint_size !== found.size; ) found = await log()
  assert.deepEqual(honest(await sweep()), [])
})

test('what is posted as documented is answered with counts of the store and labels that were declared', async () => {
  const posted = await describedWith('post')
  assert.ok(posted.length > 15)
  const found: string[] = []
  for (const { id, labels, call } of posted) {
    const answer = await call({ accept: 'application/json' })
    const now = new Date(Date.now() + 1).toISOString()
    found.push(...untraced({ id, labels, answer, isPosted: true }, await stateNow(), now))
  }
  assert.deepEqual(found, [])
})

test('a literal that poses as a count, a label or a time of a reading is found', async () => {
  const found = (await sweep()).filter((one) => one.startsWith('posing.'))
  assert.deepEqual(found, [
    'posing.count total says 25',
    'posing.label label says MEASURED, which is not declared',
    'posing.time read_at is of 2020-01-01T00:00:00.000Z, when nothing was read',
  ])
})

test('what is said to be tested lies in the repository, and a run is named only where one is recorded', async () => {
  const { claims } = (await send(`${P}/evidence/research`)).json
  const record = ports.identity.checks.record
  const ran = record !== null && record.gitSha === ports.build.gitSha.value ? record.completedAt : null
  const tested = claims.filter(({ maturity }: { maturity: string }) => maturity === 'TESTED_IN_REPOSITORY')
  assert.ok(tested.length > 0)
  for (const { id, artifact, last_test_run } of tested) {
    assert.ok(artifact.present && existsSync(join(ROOT, artifact.path)), id)
    assert.equal(last_test_run?.completed_at ?? null, ran, id)
  }
  assert.ok(!JSON.stringify(claims).includes('PROVEN_BY_TEST'))
})

test('every call site that is served exists', async () => {
  const { tiers } = (await send(`${P}/formula-tiers`)).json
  for (const { id, called_by, scope_note } of tiers['LOCKED-PROVEN']) {
    assert.equal(called_by.length === 0, scope_note.includes('nothing calls it yet'), id)
    for (const site of called_by as string[]) {
      const [path, name] = site.split(' ') as [string, string]
      assert.ok(readFileSync(join(ROOT, path), 'utf8').includes(name), site)
    }
  }
})

test('where a source is gone there is no number: UNAVAILABLE and null with a reason, or a refusal', async (t) => {
  const gone = { path: 'x', present: false as const, reason: 'gone' }
  t.mock.method(ports.artifacts, 'text', async () => gone)
  t.mock.method(ports.artifacts, 'digest', async () => gone)
  const bench = (await send(`${P}/gdw/bench/meta`)).json
  assert.deepEqual([bench.label, bench.result, bench.reason], ['UNAVAILABLE', null, 'gone'])
  const { requirements } = (await send(`${P}/assurance/matrix`)).json
  for (const id of ['MC-1', 'TEVV-1'])
    assert.equal(requirements.find((row: { req_id: string }) => row.req_id === id).status, 'ROADMAP', id)
  const manifest = (await send(`${P}/attest/manifest`)).json
  assert.deepEqual([manifest.verdict, manifest.statement.predicate.provenance.kernel_verified], ['FAILED', false])
  t.mock.method(ports.reviews, 'counts', async () => {
    throw new ServiceError('store_unavailable', 'the store is gone')
  })
  assert.equal((await send(`${P}/wow/roi`)).status, 503)
  t.mock.method(ports.ledger, 'walk', async () => {
    throw new ServiceError('store_unavailable', 'the store is gone')
  })
  assert.equal((await send(`${P}/khipu/organs`)).status, 503)
})
