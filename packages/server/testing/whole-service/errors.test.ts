import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ERRORS, type ErrorCode, InputError, ServiceError, StoreUnavailable } from '../../src/errors.ts'
import { toErrorResponse } from '../../src/http/response.ts'
import { refusal, storeUnavailable, toServiceError } from '../../src/ledger/refusals.ts'

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

/** They say to retry and to ask for less, or are said of what does not pass by itself too: who throws them knows. */
const BY_CASE: readonly string[] = ['compute_timeout', 'ledger_unavailable']

test('a 503 that says to retry says when, and one that an operator has to end does not', () => {
  for (const [code, { status, action }] of Object.entries(ERRORS)) {
    if (status !== 503 || BY_CASE.includes(code)) continue
    const { headers } = toErrorResponse(new ServiceError(code as ErrorCode, 'sentence'), 'id-4')
    const isPassing = /retry|Retry-After|later/.test(action)
    assert.equal(Number(headers['retry-after']) > 0, isPassing, code)
  }
})

test('whatever keeps a receipt from being recorded for now says when to retry, and a read-only ledger does not', () => {
  const retryAfter = (error: ServiceError) => toErrorResponse(error, 'id-5').headers['retry-after']
  for (const code of ['guard_unavailable', 'signer_unavailable'] as const)
    assert.equal(retryAfter(toServiceError(refusal(code, 'retry later'))), '5', code)
  for (const error of [toServiceError(storeUnavailable(new Error('gone'))), new StoreUnavailable(new Error('gone'))])
    assert.equal(retryAfter(error), '5')
  assert.equal(retryAfter(toServiceError(refusal('ledger_busy', 'retry in a second'))), '1')
  assert.equal(retryAfter(toServiceError(refusal('ledger_read_only', 'restart after repair'))), undefined)
})

test('who knows better when to retry says so', () => {
  const error = new ServiceError('store_unavailable', 'wait', { headers: { 'retry-after': '60' } })
  assert.deepEqual(toErrorResponse(error, 'id-6').headers, { 'retry-after': '60' })
})

test('a misfit is its list of faults', () => {
  const detail = [{ loc: ['body', 0], msg: 'm', type: 't' }]
  assert.deepEqual(toErrorResponse(new InputError(detail), 'id-3').body, { detail })
})
