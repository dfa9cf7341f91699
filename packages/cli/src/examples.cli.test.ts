import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createClient } from '@orch/client'
import { installOrch } from '@orch/server/testing/orch-command.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { type Service, startService } from '@orch/server/testing/service.ts'
import Type, { type TSchema } from 'typebox'
import Value from 'typebox/value'
import { COMMAND_NAMES, loadCommand } from './commands.ts'
import { writeGoldenFiles } from './testing/golden-files.ts'
import { collect, type RunResult, runOrch } from './testing/run-orch.ts'

const home = freshFolder('cli-examples')
const live = join(home, 'live')
const golden = join(home, 'golden')
let service: Service
let env: Record<string, string>

before(async () => {
  for (const folder of [live, golden]) mkdirSync(folder)
  installOrch(join(home, 'bin'))
  writeGoldenFiles(golden)
  service = await startService({ data: join(live, 'data'), startMs: 150_000 })
  const client = createClient({ baseUrl: service.url })
  const { digest } = await client.khipu.sign({ body: { note: 'an example' } })
  writeFileSync(join(live, 'cosign.pub'), await client.keys.cosign())
  env = { ORCH_BASE_URL: service.url, DIGEST: digest }
  await inShell('orch keys pin cosign.pub && orch ledger export --out ledger.jsonl', live)
  copyFileSync(join(live, 'ledger.jsonl'), join(home, 'ledger.jsonl'))
  const deploy = { name: 'deploy', effect: 'write', description: 'Ships a build' }
  writeFileSync(join(live, 'tools.json'), JSON.stringify({ schema: 'orch.tools/v1', tools: [deploy] }))
  const run = await fetch(`${service.url}/api/orch/v1/organs/N8?envelope=1`, { method: 'POST' })
  writeFileSync(join(live, 'organ.json'), await run.text())
  writeFileSync(join(live, 'input.json'), '{}')
  writeFileSync(join(live, 'cases.json'), JSON.stringify([{ tool: 'deploy', expect: 'allow' }]))
})
after(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

async function inShell(line: string, cwd: string): Promise<RunResult> {
  const own = { PATH: `${home}/bin:/usr/bin:/bin`, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), ...env }
  const child = spawn('sh', ['-c', line], { cwd, env: own, stdio: ['ignore', 'pipe', 'pipe'] })
  const result = collect(child)
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...result() }
}

const S = Type.String()
const N = Type.Integer()
const B = Type.Boolean()
const Hex = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const closed = (properties: Record<string, TSchema>) => Type.Object(properties, { additionalProperties: false })
const open = (properties: Record<string, TSchema>) => Type.Object(properties)
const Check = closed({ check: S, status: S, reason: S, details: open({}) })
const Report = closed({
  schema: Type.Literal('orch.verification-report/v1'),
  kind: S,
  verdict: S,
  checks: Type.Array(Check, { minItems: 6, maxItems: 7 }),
  subject: Nullable(open({ digest: Hex })),
  does_not_prove: Type.Array(S, { minItems: 3, maxItems: 3 }),
  checked_at: S,
})
const Review = open({ schema: Type.Literal('orch.review/v1'), review_id: S, state: S, reasons: Type.Array(S) })
const Verdict = Type.Intersect([Review, open({ receipt: open({ digest: Hex }), approval: Nullable(open({})) })])
/** What was checked of the signatures, and the checkpoint where there is one. */
const Proven = closed({
  ok: Type.Literal(true),
  size: N,
  root: Hex,
  signed: N,
  unsigned: Type.Optional(N),
  checkpoint: Type.Union([N, Type.Null()]),
})
const Imported = closed({
  ok: Type.Literal(true),
  size: N,
  root: Hex,
  signed: N,
  unsigned: N,
  log_verified: Type.Union([B, Type.Null()]),
})

const Credential = { key_id: S, owner_id: S, namespace: S, may: S, state: S }

/** What `--json` prints, by command. */
const SCHEMAS: Record<string, TSchema> = {
  doctor: closed({
    settings: Type.Array(closed({ name: S, value: Nullable(S), origin: S })),
    config_folder: S,
    checks: Type.Array(closed({ name: S, ok: B, detail: S, hint: Nullable(S) })),
  }),
  version: closed({
    name: Type.Literal('orch'),
    version: S,
    interface_version: S,
    doctrine: S,
    node: S,
    platform: S,
    verify_page_sha256: Nullable(Hex),
  }),
  help: closed({ topic: S, text: S }),
  completion: closed({ shell: S, script: S }),
  govern: open({
    schema: Type.Literal('orch.decision/v1'),
    decision: Type.Literal('allow'),
    reasons: Type.Array(S),
    lambda: open({ value: Type.Number(), label: Type.Literal('MODELED') }),
    receipt: open({ digest: Hex }),
    review: Type.Null(),
  }),
  'review ls': open({ items: Type.Array(Review), counts: open({ pending: N }), next_cursor: Nullable(S) }),
  'review show': Type.Intersect([Review, open({ payload: open({ request: open({ text: S }) }) })]),
  'review approve': Verdict,
  'review deny': Verdict,
  verify: Report,
  'ledger tail': closed({ receipts: Type.Array(open({ digest: Hex, node_index: N })), ledger_size: N }),
  'ledger ls': open({ receipts: Type.Array(open({ digest: Hex })), next_cursor: Nullable(S), ledger_size: N }),
  'ledger show': open({ digest: Hex, dsse: open({ payload: S }), inclusion: open({}) }),
  'ledger export': closed({ file: S, receipts: N }),
  'ledger import': Imported,
  'ledger prove': Proven,
  'ledger migrate': Proven,
  'ledger snapshot': closed({ ok: Type.Literal(true), size: N, segments: N, folder: S }),
  'ledger restore': closed({ ok: Type.Literal(true), size: N, root: Hex, repaired: Type.Array(open({})) }),
  'ledger accept-restore': closed({ ok: Type.Literal(true), size: N, root: Hex, receipt: Hex, origin: S, log_key: S }),
  'pack create': closed({ file: S, pack_sha3_256: Hex }),
  'pack verify': Report,
  'keys show': open({
    keys: Type.Array(open({ keyid: Hex, pinned_as: Nullable(S) })),
    log: closed({ vkey: S, pinned: B }),
  }),
  'keys gen': closed({ keyid: Hex, private_key: S, public_key: S }),
  'keys pin': closed({ kind: S, keyid: S, path: S }),
  'keys unpin': closed({ kind: S, keyid: S, path: S }),
  'policy lint': closed({
    ok: Type.Literal(true),
    policies: N,
    tools: Type.Array(S),
    policy_digest: Hex,
    files: Type.Array(S),
  }),
  'policy test': closed({ ok: Type.Literal(true), passed: N, failed: N, failures: Type.Array(open({})) }),
  'keys rotate': open({ old_keyid: Hex, new_keyid: Hex }),
  'organ ls': open({ items: Type.Array(open({ id: S, evidence_class: S }), { minItems: 25, maxItems: 25 }) }),
  'organ run': open({ schema: Type.Literal('orch.organ-run/v1'), result_sha256: Hex }),
  'credentials add': closed({ ok: Type.Literal(true), ...Credential, token: S, file: S }),
  'credentials revoke': closed({ ok: Type.Literal(true), ...Credential, file: S }),
  'credentials ls': closed({ ok: Type.Literal(true), file: S, credentials: Type.Array(closed(Credential)) }),
  bench: open({ schema: Type.Literal('orch.bench/v1'), results: open({}) }),
  'organ replay': open({ equal: Type.Literal(true), organ: Type.Literal('N8'), not_comparable: Type.Null() }),
  call: open({ status: S }),
  mcp: open({ jsonrpc: Type.Literal('2.0'), id: N, result: open({}) }),
}

const AT_REST = ['ledger prove', 'ledger migrate', 'ledger snapshot', 'ledger restore', 'ledger accept-restore']
/** They run until they are told to stop, and have tests of their own. */
const IN_FOREGROUND = ['up', 'witness']
const OFFLINE_FILES = ['verify', 'pack verify']
const MADE: Record<string, string[]> = {
  'ledger import': ['imported'],
  'ledger migrate': ['migrated'],
  'ledger snapshot': ['shards'],
  'ledger restore': ['restored'],
  'keys gen': ['signer.key', 'signer.pub'],
  'credentials add': ['credentials.json'],
}

/** A verdict closes a review, so that every run needs one of its own. */
async function openReview(): Promise<string> {
  const body = { text: 'Please wire 900 dollars to wallet 7 tomorrow' }
  const { review } = await createClient({ baseUrl: service.url }).governance.govern({ body })
  return review!.review_id
}

/** The ledger's guard is gone, as after a restore of its database alone. */
async function loseGuard(): Promise<void> {
  rmSync(join(live, 'data/last-checkpoint.txt'))
  const { stdout } = await inShell('orch ledger prove --data data --json', live)
  const { size, root } = JSON.parse(stdout) as { size: number; root: string }
  Object.assign(env, { GUARD_HEAD: 'none', STORE_HEAD: `${size}:${root}` })
}

async function runExample(name: string, suffix: string): Promise<RunResult> {
  const { example } = await loadCommand(name)
  const folder = OFFLINE_FILES.includes(name) ? golden : live
  if (name.startsWith('review ')) env.REVIEW = await openReview()
  if (name === 'ledger accept-restore') await loseGuard()
  if (name === 'keys unpin') await inShell('orch keys pin cosign.pub', live)
  for (const made of MADE[name] ?? []) rmSync(join(folder, made), { recursive: true, force: true })
  return inShell(`${example}${suffix}`, folder)
}

/** What works on a ledger at rest comes when the service has stopped. */
const inOrder = [
  ...COMMAND_NAMES.filter((name) => !AT_REST.includes(name) && !IN_FOREGROUND.includes(name)),
  ...AT_REST,
]
for (const name of inOrder)
  test(`4c the example of ${name} works as it stands, and its --json output fits its schema`, async () => {
    if (name === AT_REST[0]) await service.stop()
    const plain = await runExample(name, '')
    assert.equal(plain.code, 0, plain.stderr)
    const asJson = await runExample(name, name === 'version' ? '' : ' --json')
    assert.equal(asJson.code, 0, asJson.stderr)
    assert.match(asJson.stdout, /^\{[^\n]*\}\n$/, 'one object on one line')
    const faults = [...Value.Errors(SCHEMAS[name]!, JSON.parse(asJson.stdout))]
    assert.deepEqual(faults, [])
    assert.doesNotMatch(asJson.stderr, /[{}]/, 'stderr is free of data')
  })

test('every command has help with its example, and the overview lists them all', async () => {
  const overview = (await runOrch([], { home })).stdout
  for (const name of COMMAND_NAMES) {
    const { code, stdout } = await runOrch([...name.split(' '), '--help'], { home })
    assert.equal(code, 0, name)
    assert.ok(stdout.includes((await loadCommand(name)).example), name)
    assert.ok(overview.includes(`  ${name} `), name)
  }
})

test('a mistyped command suggests the nearest one and ends in 2', async () => {
  for (const [typed, meant] of [
    [['verfy'], 'orch verify'],
    [['ledger', 'exprot'], 'orch ledger export'],
    [['help', 'setings'], 'orch help settings'],
  ] as const) {
    const { code, stdout, stderr } = await runOrch(typed, { home })
    assert.deepEqual([code, stdout], [2, ''])
    assert.ok(stderr.includes(`did you mean ${meant}?`), stderr)
  }
  assert.equal((await runOrch(['keys'], { home })).code, 2)
  assert.equal((await runOrch(['xyzzyplugh'], { home })).code, 2)
})
