import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TestRecord } from './reporter.ts'
import { groupBySuite, parseArguments, queueOf, SECONDS, suiteOf } from './suites.ts'
import { junitXml, summaryOf } from './summary.ts'

const record = (outcome: TestRecord['outcome'], name = 'a test', detail = ''): TestRecord => ({
  name,
  file: 'a.test.ts',
  line: 1,
  seconds: 0.5,
  outcome,
  detail,
})
const summary = (...tests: TestRecord[]) => summaryOf([{ suite: 'unit', seconds: 1, tests }])
const lastLines = (text: string) => text.trimEnd().split('\n').slice(-2)

test('the last line alone is the totals, and the word before it is the colour', () => {
  assert.deepEqual(lastLines(summary(record('passed')).text), ['GREEN', '1 passed, 0 failed, 0 skipped'])
  assert.deepEqual(lastLines(summary(record('passed'), record('failed')).text), [
    'RED',
    '1 passed, 1 failed, 0 skipped',
  ])
})

test('one skip makes the summary yellow and is listed with its reason', () => {
  const { text, ok } = summary(record('passed'), record('skipped', 'needs openssl', 'SKIPPED: no openssl'))
  assert.deepEqual(lastLines(text), ['YELLOW', '1 passed, 0 failed, 1 skipped'])
  assert.match(text, /needs openssl: SKIPPED: no openssl/)
  assert.equal(ok, true)
})

test('nothing run, or nothing but skips, is not a success', () => {
  assert.equal(summary().ok, false)
  assert.equal(summary(record('skipped')).ok, false)
})

test('a test file finds its suite by suffix and place', () => {
  const files = {
    'packages/core/src/a.test.ts': 'unit',
    'packages/server/src/http/mount.http.test.ts': 'http',
    'packages/server/src/ledger/a.store.test.ts': 'stores',
    'packages/console/src/a.browser.test.ts': 'browser',
    'packages/cli/src/a.cli.test.ts': 'cli',
    'docs/readme.test.ts': 'docs',
    'packages/cli/src/readme.docs.test.ts': 'docs',
    'scripts/bootstrap.test.ts': 'tooling',
    'packages/server/testing/page.browser.test.ts': 'browser',
  }
  for (const [file, suite] of Object.entries(files)) assert.equal(suiteOf(file), suite, file)
  const grouped = groupBySuite(new Map([...Object.keys(files), 'packages/core/src/a.ts'].map((file) => [file, ''])))
  assert.equal([...grouped.values()].flat().length, Object.keys(files).length)
})

test('what takes long begins first, files of one suite share a process, and what touches the process has its own', () => {
  const [slow] = Object.keys(SECONDS) as [string]
  const tree = new Map([
    ['packages/core/src/a.test.ts', `test('a', () => {})`],
    ['packages/core/src/own.test.ts', `process.env.A = 'b'`],
    ['packages/core/src/b.test.ts', `after(() => {})`],
    ['packages/server/src/a.http.test.ts', ''],
    [slow, ''],
    ['packages/server/src/b.http.test.ts', 'process.cwd()'],
  ])
  assert.deepEqual(queueOf(tree, [...tree.keys()]), [
    [slow],
    ['packages/core/src/a.test.ts', 'packages/core/src/b.test.ts'],
    ['packages/server/src/a.http.test.ts', 'packages/server/src/b.http.test.ts'],
    ['packages/core/src/own.test.ts'],
  ])
})

test('every file that is named as slow exists', () => {
  const root = new URL('../../', import.meta.url)
  for (const file of Object.keys(SECONDS)) assert.ok(existsSync(new URL(file, root)), `${file} has moved`)
})

test('a mistyped suite or argument is refused, never run as nothing', () => {
  assert.deepEqual(parseArguments(['--only', 'browser,unit']).suites, ['unit', 'browser'])
  assert.deepEqual(parseArguments(['--only=http', '--grep=a=b']), { suites: ['http'], grep: 'a=b', timeoutMs: 600_000 })
  assert.throws(() => parseArguments(['--only', 'brwser']), /unknown suite brwser; known: check, unit/)
  assert.throws(() => parseArguments(['--olny', 'unit']), /unknown argument --olny/)
  assert.throws(() => parseArguments(['--only']), /--only needs a value/)
  assert.throws(() => parseArguments(['--timeout', 'x']), /number of seconds/)
})

test('whatever a test is called, its JUnit file stays well formed', () => {
  const name = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u0000', '\ud800', ']]>', '<&">', '\u001b[31m'))
  fc.assert(
    fc.property(name, name, (title, detail) => {
      const xml = junitXml('unit', 1, [record('failed', title, detail), record('skipped', title, detail)])
      assert.doesNotMatch(xml.replace(/[\t\n]/g, ''), /\p{Cc}|\p{Cs}/u)
      assert.equal(xml.match(/<testcase /g)?.length, 2)
      assert.equal(xml.replace(/&(amp|lt|gt|quot);/g, '').includes('&'), false)
    }),
    { seed: 1 },
  )
})
