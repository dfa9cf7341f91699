import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OrchError, OrchUnreachable } from '@orch/client'
import { ERRORS } from '../../server/src/errors.ts'
import { CliError, EXIT, EXIT_MEANINGS } from './exit.ts'
import { exitOfError, refusalOf } from './refusal.ts'

test('every error code of the service has the exit code its table promises', () => {
  for (const [code, { status, exit }] of Object.entries(ERRORS)) assert.equal(exitOfError({ status, code }), exit, code)
})

test('every exit code is explained once', () => {
  assert.deepEqual(
    EXIT_MEANINGS.map(([code]) => code),
    Object.values(EXIT),
  )
})

test('errors become a code and a sentence without a stack', () => {
  const unreachable = new OrchUnreachable('http://a:1', new TypeError('x', { cause: { code: 'ECONNREFUSED' } }))
  assert.deepEqual(refusalOf(unreachable), {
    exit: 8,
    lines: ['no answer from http://a:1 (ECONNREFUSED); start it with: orch up'],
  })
  assert.deepEqual(refusalOf(new OrchError(503, 'draining', 'later', 'r1')), {
    exit: 1,
    lines: ['draining: later (request r1)'],
  })
  assert.deepEqual(refusalOf(new CliError(5, 'no')), { exit: 5, lines: ['no'] })
  assert.deepEqual(refusalOf(new Error('boom')), { exit: 1, lines: ['boom'] })
})
