import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isAlive } from '@orch/server/testing/process-alive.ts'
import { runTestBatch, runTestFile } from './file-run.ts'

function run(t: TestContext, source: string, timeoutMs = 30_000) {
  const cwd = mkdtempSync(join(tmpdir(), 'orch-file-run-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'x.test.mjs'), `import { describe, test } from 'node:test'\n${source}`)
  return runTestFile('x.test.mjs', { cwd, timeoutMs })
}

const outcomes = (tests: readonly { name: string; outcome: string }[]) =>
  tests.map(({ name, outcome }) => `${name}: ${outcome}`)

test('single tests are counted, suites are not, and nested names are told in full', async (t) => {
  const { tests } = await run(
    t,
    `test('one', () => {})
     describe('group', () => { test('inner', () => {}) })
     test('left out', (t) => t.skip('SKIPPED: no tool'))`,
  )
  assert.deepEqual(outcomes(tests), ['one: passed', 'group > inner: passed', 'left out: skipped'])
  assert.equal(tests[2]?.detail, 'SKIPPED: no tool')
})

test('a failure keeps its error in full, and what the file printed', async (t) => {
  const { tests, output } = await run(t, `console.log('hello'); test('bad', () => { throw new Error('the reason') })`)
  assert.deepEqual(outcomes(tests), ['bad: failed'])
  assert.match(tests[0]?.detail ?? '', /Error: the reason\n\s+at .*x\.test\.mjs/)
  assert.match(output, /hello/)
})

test('a failing hook of a suite is a failure although the suite itself is no test', async (t) => {
  const { tests } = await run(
    t,
    `import { after } from 'node:test'
    describe('group', () => { test('a', () => {}); after(() => { throw new Error('hook') }) })`,
  )
  assert.ok(
    tests.some(({ outcome }) => outcome === 'failed'),
    outcomes(tests).join(),
  )
})

test('an error that nobody caught belongs to the test that caused it, and so does a test begun inside another', async (t) => {
  const { tests } = await run(
    t,
    `import { setTimeout as pause } from 'node:timers/promises'
    test('throws', async () => { setTimeout(() => { throw new Error('from a timer') }, 1); await pause(500) })
    test('rejects', async () => { Promise.reject(new Error('caught by nobody')); await pause(500) })
    test('outer', async () => { await pause(1); await test('inner', () => {}) })`,
  )
  assert.deepEqual(outcomes(tests), ['throws: failed', 'rejects: failed', 'outer > inner: passed', 'outer: passed'])
  assert.match(tests[0]?.detail ?? '', /from a timer/)
})

test('an error after the tests is a failure of the file, and is printed', async (t) => {
  const { tests, output } = await run(
    t,
    `import { after } from 'node:test'
    test('fine', () => {}); setTimeout(() => { throw new Error('came too late') }, 200)
    after(() => new Promise((resolve) => setTimeout(resolve, 400)))`,
  )
  assert.deepEqual(outcomes(tests), ['fine: passed', 'x.test.mjs: failed'])
  assert.match(output, /came too late/)
})

test('a file that crashes is a failure, also when every test in it passed', async (t) => {
  const early = await run(t, 'process.exit(3)')
  assert.match(early.tests.at(-1)?.detail ?? '', /exit code 3/)
  const late = await run(t, `test('fine', () => {}); process.on('exit', () => { process.exitCode = 4 })`)
  assert.equal(late.tests.at(-1)?.outcome, 'failed')
})

test('a file that ends without a test is a failure', async (t) => {
  assert.match((await run(t, '')).tests[0]?.detail ?? '', /holds no test/)
})

test('a test that never ends is named when its time is up', async (t) => {
  const { tests } = await run(t, `test('waits for ever', async () => { await new Promise(() => {}) })`, 8000)
  assert.equal(tests[0]?.name, 'waits for ever')
  assert.match(tests[0]?.detail ?? '', /timed out after 6400ms/)
})

test('a file that hangs is killed with what it started', async (t) => {
  const source = `import { spawn } from 'node:child_process'
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    console.log('pid ' + child.pid)
    await new Promise(() => setInterval(() => {}, 1000))`
  const { tests, output } = await run(t, source, 1500)
  assert.match(tests.at(-1)?.detail ?? '', /did not end within 1.5 s/)
  const pid = Number(/pid (\d+)/.exec(output)?.[1])
  await new Promise((resolve) => setTimeout(resolve, 200))
  assert.ok(pid > 0)
  assert.equal(isAlive(pid), false)
})

test('a batch keeps the tests of its files apart, and runs alone what it heard nothing of', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'orch-file-run-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  const sources = {
    'a.test.mjs': `test('one', () => {}); test('bad', () => { throw new Error('the reason') })`,
    'b.test.mjs': '',
    'c.test.mjs': `test('one', () => {})`,
  }
  for (const [file, source] of Object.entries(sources))
    writeFileSync(join(cwd, file), `import { test } from 'node:test'\n${source}`)
  const runs = await runTestBatch(Object.keys(sources), { cwd, timeoutMs: 30_000 })
  const listed = runs.map(({ file, tests }) => [file, outcomes(tests)])
  assert.deepEqual(listed, [
    ['a.test.mjs', ['one: passed', 'bad: failed']],
    ['b.test.mjs', ['b.test.mjs: failed']],
    ['c.test.mjs', ['one: passed']],
  ])
  assert.match(runs[1]?.tests[0]?.detail ?? '', /holds no test/)
})

test('a batch that dies is run again file by file, so that only the file which dies has failed', async (t) => {
  const cwd = mkdtempSync(join(tmpdir(), 'orch-file-run-'))
  t.after(() => rmSync(cwd, { recursive: true }))
  const sources = { 'a.test.mjs': `test('fine', () => {})`, 'b.test.mjs': `test('ends', () => process.exit(3))` }
  for (const [file, source] of Object.entries(sources))
    writeFileSync(join(cwd, file), `import { test } from 'node:test'\n${source}`)
  const [a, b] = await runTestBatch(Object.keys(sources), { cwd, timeoutMs: 30_000 })
  assert.deepEqual(outcomes(a?.tests ?? []), ['fine: passed'])
  assert.match(b?.tests.at(-1)?.detail ?? '', /exit code 3/)
})
