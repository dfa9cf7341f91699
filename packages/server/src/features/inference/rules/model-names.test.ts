import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelNames, namedBy, reportedName } from './model-names.ts'

const CLEAN = { findings: [], findings_total: 0 }
const DIGEST = /^sha256:[0-9a-f]{64}$/

test('another model than the one asked for is a mismatch, and silence is not agreement', () => {
  const mismatch = (named: string | null) => modelNames('a', 'b', { named, returned: named }).mismatch
  assert.deepEqual([mismatch('b'), mismatch('c'), mismatch(null)], [false, true, null])
})

test('a plain name in which nothing was found is told; anything else is a digest', () => {
  assert.equal(
    reportedName('vendor/model-4.1:free@eu+x_y'.replace('_', '-'), null, CLEAN),
    'vendor/model-4.1:free@eu+x-y',
  )
  assert.equal(reportedName('configured name', 'configured name', null), 'configured name', 'the operator chose it')
  for (const name of ['two words', 'a\u0000b', 'é', '<script>', 'x'.repeat(129)])
    assert.match(reportedName(name, null, CLEAN) ?? '', DIGEST)
  assert.match(reportedName('model', null, null) ?? '', DIGEST, 'an answer that is not told names nobody')
  assert.match(reportedName('model', null, { findings: [{ pointer: '/model' }], findings_total: 1 }) ?? '', DIGEST)
  assert.match(reportedName('model', null, { findings: [], findings_total: 1 }) ?? '', DIGEST)
  assert.equal(reportedName(null, 'model', CLEAN), null)
})

test('a name of any length is examined or digested, and what is no name is none', () => {
  assert.equal(namedBy('n'.repeat(1024))?.length, 1024)
  assert.match(namedBy('n'.repeat(1025)) ?? '', DIGEST)
  for (const value of ['', null, 7, {}]) assert.equal(namedBy(value), null)
})
