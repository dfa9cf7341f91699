import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { installOrch } from '@orch/server/testing/orch-command.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { type Service, startService } from '@orch/server/testing/service.ts'
import { ORCH } from './testing/run-orch.ts'

const ROOT = join(import.meta.dirname, '../../..')
const home = freshFolder('documents')
/** A set of tools that a document edits under the running service. */
const toolsFile = join(home, 'policies/policies/tools.json')
let service: Service

before(async () => {
  mkdirSync(join(home, 'policies/policies'), { recursive: true })
  writeFileSync(toolsFile, '{ "schema": "orch.tools/v1", "tools": [] }')
  service = await startService({ env: { ORCH_TOOLS: toolsFile } })
  // What the alias that a start prints stands for.
  installOrch(join(home, 'bin'))
})
after(async () => {
  await service.close()
  rmSync(home, { recursive: true, force: true })
})

const isInstalled = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0

/** The fenced shell blocks of a document, against the service of this test. */
const blocksOf = (name: string, folder = 'docs'): string[] =>
  [...readFileSync(join(ROOT, folder, name), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block]) =>
      block!.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('$PWD/packages', `${ROOT}/packages`),
    )
    .filter((block) => !/^npm (?:start|test)/.test(block))

function runScript(folder: string, script: string) {
  const cwd = join(home, folder)
  mkdirSync(cwd, { recursive: true })
  for (const name of ['check_pack.py', 'dsse.py']) cpSync(join(ROOT, 'examples', name), join(cwd, name))
  // The built file has a test of its own (scripts/packages); here its place is taken by the program of the checkout.
  writeFileSync(join(cwd, 'orch.mjs'), `import ${JSON.stringify(pathToFileURL(ORCH))}\n`)
  const env = {
    PATH: `${home}/bin:${spawnSync('sh', ['-c', 'printf %s "$PATH"'], { encoding: 'utf8' }).stdout}`,
    HOME: cwd,
    XDG_CONFIG_HOME: join(cwd, 'config'),
    ORCH_BASE_URL: service.url,
  }
  return spawnSync('sh', ['-ec', script], { cwd, env, encoding: 'utf8', timeout: 110_000 })
}

const VERIFY = 'orch verify --key cosign.pub --log-key log.vkey'

test('the first reply of the README verifies as it is saved, one changed byte fails, other JSON is no evidence', () => {
  const { status, stdout, stderr } = runScript('readme', blocksOf('README.md', '.').join('\n'))
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /decision\.json: PARTIAL[^\n]*\n {2}everything holds; the key is a demo key\n/)
  assert.doesNotMatch(stdout, /pinned/, 'no ring was used')
  const reply = readFileSync(join(home, 'readme/decision.json'), 'utf8')
  for (const at of [1, 2, 3, 4].map((n) => Math.floor((reply.lastIndexOf('"checkpoint"') * n) / 5))) {
    const changed = `${reply.slice(0, at)}${reply[at] === 'x' ? 'y' : 'x'}${reply.slice(at + 1)}`
    writeFileSync(join(home, 'readme/changed.json'), changed)
    assert.equal(runScript('readme', `${VERIFY} changed.json`).status, 3, reply.slice(at - 20, at + 20))
  }
  for (const other of ['{"hello":"world"}', '[1]', '"text"', 'not JSON at all']) {
    writeFileSync(join(home, 'readme/other.json'), other)
    assert.equal(runScript('readme', `${VERIFY} other.json`).status, 5, other)
  }
})

test('the quick start works from its first line to its last', () => {
  const { status, stdout, stderr } = runScript('quickstart', blocksOf('quickstart.md').join('\n'))
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /receipt\.json: PARTIAL/)
  assert.match(stdout, /decision\.json: PARTIAL/)
  assert.match(stdout, /ledger\.jsonl: PARTIAL[^\n]*\n {2}everything holds; the key is a demo key\n/)
  assert.match(stdout, /altered\.json: FAIL/)
  assert.match(stdout, /exit code 3/)
  assert.match(stdout, /pack\.json: PARTIAL/)
})

test('9.4: the page on policies takes a new tool from deny over allow and review back to deny', () => {
  const { status, stdout, stderr } = runScript('policies', blocksOf('policies.md').join('\n'))
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(
    stdout,
    /DENY {2}POLICY_DEFAULT_DENY[\s\S]*the tool deploy is not registered: add it to policies\/tools\.json/,
  )
  assert.match(stdout, /exit code 6[\s\S]*ALLOW {2}ALL_STAGES_PASSED[\s\S]*REVIEW {2}POLICY_REVIEW[\s\S]*passed 3/)
  const listed = stdout.slice(stdout.indexOf('passed 3'))
  for (const word of ['ALLOW', 'REVIEW', 'DENY']) assert.match(listed, new RegExp(word))
})

test('the page for auditors works, and the same files give the same verdict each way', (t) => {
  const missing = ['openssl', 'python3'].filter((tool) => !isInstalled(tool))
  if (missing.length > 0) return t.skip(`SKIPPED: ${missing.join(', ')} not installed`)
  const blocks = blocksOf('auditor.md').filter((block) => !block.includes('cosign verify-blob'))
  const { status, stdout, stderr } = runScript('auditor', blocks.join('\n'))
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  const digest = /node_digest ([0-9a-f]{64})/.exec(stdout)?.[1]
  assert.ok(stdout.includes('Verified OK'), stdout)
  assert.ok(digest && stdout.split(digest).length >= 4, 'orch, the export and openssl name the same digest')
  assert.match(stdout, /receipt\.json: PARTIAL/)
  assert.match(stdout, /ledger\.jsonl: PASS|ledger\.jsonl: PARTIAL/)
  assert.match(stdout, /inclusion +VERIFIED +all \d+ receipts that the given checkpoint covers are here/)
  assert.match(stdout, /VERIFIED: the first \d+ of \d+ receipts/)
})

test('the cosign lines work where cosign is installed', (t) => {
  if (!isInstalled('cosign')) return t.skip('SKIPPED: cosign is not installed')
  const blocks = blocksOf('auditor.md').filter((block) => /receipt\/export|pae\.bin|cosign\.pub >/.test(block))
  const { status, stdout, stderr } = runScript('cosign', blocks.join('\n'))
  assert.equal(status, 0, `${stdout}\n${stderr}`)
})

test('openssl refuses what orch refuses', (t) => {
  if (!isInstalled('openssl')) return t.skip('SKIPPED: openssl is not installed')
  const script = 'printf x >> pae.bin; openssl dgst -sha256 -verify cosign.pub -signature sig.der pae.bin'
  const { status, stdout } = runScript('auditor', script)
  assert.notEqual(status, 0)
  assert.match(stdout, /Verification failure/i)
})

/** A name that npm or pip would look up: neither a flag, a path nor a file. */
const FROM_A_REGISTRY =
  /\b(?:npx|npm (?:exec|i|install|x)|pipx? install|pnpm (?:add|dlx)|yarn (?:add|dlx))\s+(?!-|\.{0,2}\/)([@\w][\w@/.-]*)/g

test('9.3 no document has anybody run or install a name from a public registry', () => {
  const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...markdownIn('docs'), ...markdownIn('deploy')]
  const found = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(FROM_A_REGISTRY)].map(([, name]) => ({ page, name })),
  )
  assert.deepEqual(found, [], "a package called orch there is somebody else's")
})

const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
