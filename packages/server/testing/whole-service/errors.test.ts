import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ERRORS, InputError, ServiceError } from '../../src/errors.ts'
import { toErrorResponse } from '../../src/http/response.ts'

const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')
const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \| (.+) \| (\d+) \|$/gm)].map((match) => match.slice(1))

test('docs/errors.md lists every code with its status, meaning, action and exit code, and no other', () => {
  const expected = Object.entries(ERRORS).map(([code, row]) => [
    code,
    String(row.status),
    row.meaning,
    row.action,
    String(row.exit),
  ])
  assert.deepEqual(rows.toSorted(), expected.toSorted())
})

test('every code is snake case, has a status of its class and an exit code the command line knows', () => {
  for (const [code, { status, exit, meaning, action }] of Object.entries(ERRORS)) {
    assert.match(code, /^[a-z]+(_[a-z]+)*$/)
    assert.ok(status >= 400 && status < 600, code)
    assert.ok([1, 2, 4].includes(exit), code)
    if (status >= 500) assert.equal(exit, 1, code)
    if (status === 401) assert.equal(exit, 4, code)
    for (const text of [meaning, action]) assert.ok(text.length > 0 && !text.endsWith('.'), code)
  }
})

test('what nobody foresaw says nothing of itself', () => {
  for (const error of [
    new Error('secret /etc/path'),
    'secret',
    null,
    undefined,
    7,
    { code: 'ENOENT' },
    { code: 'toString' },
  ]) {
    const refusal = toErrorResponse(error, 'id-1')
    assert.equal(refusal.status, 500)
    assert.equal(refusal.unexpected, true)
    assert.doesNotMatch(JSON.stringify(refusal.body), /secret|path|ENOENT/)
  }
})

test('a refusal carries its headers and the properties an operation adds, and no stack', () => {
  const error = new ServiceError('rate_limited', 'wait', { headers: { 'retry-after': '3' }, extra: { seconds: 3 } })
  const { headers, body, unexpected } = toErrorResponse(error, 'id-2')
  assert.deepEqual(headers, { 'retry-after': '3' })
  assert.deepEqual(body, { error: { code: 'rate_limited', message: 'wait', request_id: 'id-2', seconds: 3 } })
  assert.equal(unexpected, false)
})

test('a misfit is its list of faults', () => {
  const detail = [{ loc: ['body', 0], msg: 'm', type: 't' }]
  assert.deepEqual(toErrorResponse(new InputError(detail), 'id-3').body, { detail })
})
