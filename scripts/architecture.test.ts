import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { describeViolation, findViolations } from './architecture.ts'
import { readTree } from './architecture-tree.ts'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const found = (files: Record<string, string>) => findViolations(new Map(Object.entries(files))).map(describeViolation)

test('the real tree keeps every rule of the house', () => {
  const tree = readTree(ROOT)
  assert.ok(tree.size > 20, 'the tree was read')
  assert.deepEqual(findViolations(tree).map(describeViolation), [])
})

const S = 'packages/server/src'
const planted: [what: string, file: string, source: string][] = [
  ['a bound with a name of its own kind', `${S}/platform/a.ts`, 'const MOST_BYTES = 1'],
  ['another file at the root of the server', `${S}/open-claims.ts`, ''],
  ['another folder at the root of the server', `${S}/surfaces/claims.ts`, ''],
  ['a build importing the ledger', 'packages/server/build.ts', `import './src/ledger/tree.ts'`],
  ['core importing a Node module', 'packages/core/src/a.ts', `import { readFileSync } from 'node:fs'`],
  ['core importing a Node module without its prefix', 'packages/core/src/a.ts', `import fs from 'fs'`],
  ['core importing an unlisted package', 'packages/core/src/a.ts', `import pg from 'pg'`],
  ['core importing the server', 'packages/core/src/a.ts', `import '../../server/src/errors.ts'`],
  ['domain importing a port that runs', `${S}/domain/a.ts`, `import { p } from '../ports.ts'`],
  ['domain importing a feature', `${S}/domain/a.ts`, `import type { A } from '../features/x/a.ts'`],
  ['domain importing the platform', `${S}/domain/a.ts`, `import '../platform/clock.ts'`],
  ['platform importing a port', `${S}/platform/a.ts`, `import type { Ports } from '../ports.ts'`],
  ['platform importing the domain', `${S}/platform/a.ts`, `import '../domain/wire.ts'`],
  ['platform importing the errors of the service', `${S}/platform/a.ts`, `import { ServiceError } from '../errors.ts'`],
  ['platform importing an adapter', `${S}/platform/compute/a.ts`, `import '../../adapters/log.ts'`],
  ['platform importing fastify', `${S}/platform/a.ts`, `import fastify from 'fastify'`],
  ['process.env in platform', `${S}/platform/a.ts`, 'const home = process.env.HOME'],
  ['Date.now in platform beside its clock', `${S}/platform/a.ts`, 'const now = Date.now()'],
  ['governance importing another package', `${S}/governance/a.ts`, `import pg from 'pg'`],
  ['domain importing a Node module', `${S}/domain/a.ts`, `import { hash } from 'node:crypto'`],
  ['a pure file of a feature importing a port that runs', `${S}/features/x/a.ts`, `import { p } from '../../ports.ts'`],
  ['a pure file of a feature importing its operations', `${S}/features/x/a.ts`, `import './operations.ts'`],
  ['a feature importing another feature', `${S}/features/x/a.ts`, `import '../y/b.ts'`],
  ['operations importing another feature', `${S}/features/x/operations.ts`, `import '../y/b.ts'`],
  ['a pure file of a feature importing an adapter', `${S}/features/x/a.ts`, `import '../../adapters/b.ts'`],
  ['a pure file of a feature importing a file system', `${S}/features/x/a.ts`, `import 'node:fs'`],
  ['the edge of a feature importing another feature', `${S}/features/x/open.ts`, `import '../y/open.ts'`],
  ['the edge of a feature importing the ledger', `${S}/features/x/io/a.ts`, `import '../../../ledger/tree.ts'`],
  ['the edge of a feature importing settings that run', `${S}/features/x/open.ts`, `import '../../config/config.ts'`],
  ['the types of a contract run in another room', `${S}/features/x/a.ts`, `import { c } from '../y/contract.ts'`],
  ['a contract importing the ledger', `${S}/governance/contract.ts`, `import '../ledger/ledger.ts'`],
  ['operations importing an adapter', `${S}/features/x/operations.ts`, `import '../../adapters/clock.ts'`],
  ['operations importing the ledger', `${S}/features/x/operations.ts`, `import '../../ledger/tree.ts'`],
  ['operations importing http', `${S}/features/x/operations.ts`, `import '../../http/mount.ts'`],
  ['operations importing a port that runs', `${S}/features/x/operations.ts`, `import { p } from '../../ports.ts'`],
  ['the ledger importing an adapter', `${S}/ledger/a.ts`, `import '../adapters/clock.ts'`],
  ['the ledger importing a feature', `${S}/ledger/a.ts`, `import '../features/x/a.ts'`],
  ['a thread of the ledger importing a feature', `${S}/ledger/threads/a.ts`, `import '../../features/x/a.ts'`],
  ['governance importing the ledger', `${S}/governance/a.ts`, `import '../ledger/ledger.ts'`],
  ['governance importing an adapter that runs', `${S}/governance/a.ts`, `import '../adapters/a.ts'`],
  ['the opening of governance importing a feature', `${S}/governance/open.ts`, `import '../features/x/a.ts'`],
  ['the settings importing a feature', `${S}/config/a.ts`, `import '../features/x/a.ts'`],
  ['the operation contract importing http', `${S}/operation.ts`, `import './http/mount.ts'`],
  ['the errors importing the domain', `${S}/errors.ts`, `import './domain/wire.ts'`],
  ['the access table importing an adapter', `${S}/access.ts`, `import './adapters/a.ts'`],
  ['an adapter importing the ledger', `${S}/adapters/a.ts`, `import '../ledger/tree.ts'`],
  ['an adapter importing a feature', `${S}/adapters/a.ts`, `import '../features/x/schemas.ts'`],
  ['http importing a feature', `${S}/http/a.ts`, `import '../features/x/operations.ts'`],
  ['http importing the ledger', `${S}/http/a.ts`, `import '../ledger/tree.ts'`],
  ['fastify outside http', `${S}/adapters/a.ts`, `import fastify from 'fastify'`],
  ['fastify in the composition root', `${S}/app.ts`, `import type { FastifyInstance } from 'fastify'`],
  ['the CLI importing the server', 'packages/cli/src/a.ts', `import '@orch/server'`],
  ['the console importing the server by path', 'packages/console/src/a.tsx', `import '../../server/src/errors.ts'`],
  ['the client importing a Node module', 'packages/client/src/a.ts', `import 'node:http'`],
  ['the offline verifier importing the network', 'packages/cli/src/verify.ts', `import 'node:http'`],
  ['the offline verifier importing the client', 'packages/cli/src/verify.ts', `import '@orch/client'`],
  ['a program importing a test harness', `${S}/main.ts`, `import '../../../packages/server/testing/postgres.ts'`],
  ['a dynamic import of what may not be imported', `${S}/domain/a.ts`, `await import('../ledger/tree.ts')`],
  ['an import of a computed path', `${S}/domain/a.ts`, `await import(\`\${where}/tree.ts\`)`],
  ['a file without a room', `${S}/helpers/a.ts`, ''],
  ['process in core', 'packages/core/src/a.ts', 'const fast = globalThis.process?.versions'],
  ['process in core behind a cast', 'packages/core/src/a.ts', 'const v = (globalThis as Host).process?.versions'],
  ['a host lookup outside the documented files', 'packages/core/src/a.ts', `x.getBuiltinModule?.('node:crypto')`],
  ['Buffer in core', 'packages/core/src/a.ts', 'const bytes = Buffer.from(text)'],
  ['process.env in an adapter', `${S}/adapters/a.ts`, 'const home = process.env.HOME'],
  ['process.env under another spelling', `${S}/adapters/a.ts`, `const home = process['env'].HOME`],
  ['process.env taken apart', `${S}/main.ts`, 'const { env } = process'],
  ['process.env by import', `${S}/main.ts`, `import { env } from 'node:process'`],
  ['Date.now in the domain', `${S}/domain/a.ts`, 'const now = Date.now()'],
  ['new Date() in the ledger', `${S}/ledger/a.ts`, 'const now = new Date()'],
  ['new Date without parentheses', `${S}/ledger/a.ts`, 'const now = new Date'],
  ['Math.random in a feature', `${S}/features/x/a.ts`, 'const id = Math.random()'],
  ['a policy switched off', 'packages/console/src/a.browser.test.ts', 'newContext({ bypassCSP: true })'],
  [
    'a policy switched off by a quoted key',
    'packages/console/src/a.browser.test.ts',
    `newContext({ 'bypassCSP': true })`,
  ],
  ['a vague name', `${S}/domain/a.ts`, 'const HELD = 0.2'],
  ['a vague name of a function', 'bench/a.ts', 'async function told() {}'],
  ['a vague name of a type', 'packages/console/src/a.tsx', 'interface Told { text: string }'],
  ['a vague name of what is taken out of an object', 'scripts/a.mjs', 'const { a = 1, kept } = row'],
  ['a vague name given to what is taken out of a list', 'bench/a.ts', 'for (const [name, { of: rounds }] of rows) {}'],
  ['a vague name of an import', 'packages/core/src/a.test.ts', `import { a, b as twins } from './b.ts'`],
  ['a skipped test', 'packages/core/src/a.test.ts', `test.skip('later', () => {})`],
  ['a singled out test', 'packages/core/src/a.test.ts', `test.only('mine', () => {})`],
  ['a test skipped by option', 'packages/core/src/a.test.ts', `test('x', { skip: true }, () => {})`],
  ['a test that always skips itself', 'packages/core/src/a.test.ts', `test('x', (t) => { t.skip('never') })`],
]
for (const [what, file, source] of planted) {
  test(`${what} is named with file and line`, () => {
    const violations = found({ [file]: `// line one\n${source}\n` })
    assert.equal(violations.length, 1, violations.join('\n'))
    const line = source === '' ? 1 : 2
    assert.equal(violations[0]?.split(' ')[0], `${file}:${line}`)
  })
}

test('what the table allows is not named', () => {
  const allowed = {
    'packages/core/src/digest.ts': `const c = (globalThis as Host).process?.getBuiltinModule?.('crypto')`,
    'packages/core/src/chain.ts': `import { sha256 } from '@noble/hashes/sha2.js'\nimport Type from 'typebox'\nimport './digest.ts'`,
    [`${S}/domain/a.ts`]: `import '@orch/core'\nimport '../errors.ts'\nimport './b.ts'`,
    [`${S}/features/x/operations.ts`]: `import type { Ports } from '../../ports.ts'\nimport './schemas.ts'\nimport '../../operation.ts'`,
    [`${S}/features/x/open.ts`]: `import type { Y } from '../y/contract.ts'\nimport '../../adapters/a.ts'\nimport './a.ts'`,
    [`${S}/platform/a.ts`]: `import 'node:worker_threads'\nimport 'lru-cache'\nimport '@orch/core'`,
    [`${S}/ledger/a.ts`]: `import 'node:sqlite'\nimport 'pg'\nimport '../ports.ts'\nimport './tree.ts'`,
    [`${S}/http/a.ts`]: `import fastify from 'fastify'\nimport '../operation.ts'`,
    [`${S}/platform/clock.ts`]: 'export const now = () => Date.now()',
    [`${S}/config/config.ts`]: 'export const port = process.env.ORCH_PORT',
    [`${S}/main.ts`]: `import './app.ts'\nimport './ledger/tree.ts'\nimport './features/x/operations.ts'`,
    [`${S}/ledger/times.ts`]: 'const at = new Date(clock.now()).toISOString()',
    'packages/cli/src/verify.ts': `import '@orch/core'\nimport 'node:fs'`,
    'packages/cli/src/settings.ts': 'export const token = process.env.ORCH_TOKEN',
    'packages/core/src/a.test.ts': `import 'node:fs'\nimport '../../server/src/app.ts'\ntest('x', (t) => {\n  if (!there) return t.skip('SKIPPED: not here')\n})`,
    'bench/references/echo.ts': `import fastify from 'fastify'`,
    'bench/results.ts': `const { rounds: samples, keptSize }: Row = rowOf(row.held, row.kept)\nexport const heldBack = { held: row.held, type: 'kept' }`,
  }
  assert.deepEqual(found(allowed), [])
})

test('a run of more than fifteen lines is named, and one of fifteen is not', () => {
  const file = `${S}/features/x/operations.ts`
  const runs = (head: string, lines: number, end: string) =>
    found({ [file]: `operation({\n  ${head}\n${'    step()\n'.repeat(lines)}  ${end},\n})\n` })
  for (const [head, end] of [
    ['async run(call) {', '}'],
    ['run: () => ({', '})'],
    ['run: async ({ body }) => {', '}'],
  ] as const) {
    assert.deepEqual(runs(head, 15, end), [])
    assert.deepEqual(runs(head, 16, end), [`${file}:2 run is at most 15 lines: 16 lines`])
  }
})

const operation = (method: string, path: string) => `operation({\n  method: '${method}',\n  path: '${path}',\n})\n`

test('a path declared twice is named at the second place, by feature and line', () => {
  const violations = found({
    [`${S}/features/x/operations.ts`]: operation('POST', '/mint'),
    [`${S}/features/y/operations.ts`]: `\n${operation('POST', '/mint')}`,
  })
  assert.deepEqual(violations, [`${S}/features/y/operations.ts:4 an operation path stands on one source line: /mint`])
})

test('a path repeated as plain text beside its operation is named, wherever the repetition stands', () => {
  const violations = found({
    [`${S}/features/a/links.ts`]: `export const self = '/mint'`,
    [`${S}/features/x/operations.ts`]: operation('POST', '/mint'),
  })
  assert.deepEqual(violations, [`${S}/features/a/links.ts:1 an operation path stands on one source line: /mint`])
})

test('one path under two methods is two operations', () => {
  const source = operation('GET', '/attest') + operation('POST', '/attest')
  assert.deepEqual(found({ [`${S}/features/x/operations.ts`]: source }), [])
})
