import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Evidence } from '../schemas.ts'
import { evaluate } from './evaluate.ts'
import { NO_MATCHES } from './local-marks.ts'

const DIGEST = 'ab'.repeat(32)
const RECEIPT = 'cd'.repeat(32)
const rowOf = (evidence_refs: Evidence[], owner_id = 'desk') =>
  evaluate(
    {
      claims: [
        {
          ...{ claim_id: 'c', statement: 'It rose.', atomic: true, evidence_refs },
          consequence_owner: { owner_id, accountability_scope: 'the letter' },
        },
      ],
    },
    '0'.repeat(64),
    NO_MATCHES,
  ).claims[0]!
const cites = (reference_id: string, provenance: Evidence['provenance'], verification_ref = 'audit'): Evidence => ({
  ...{ reference_id, evidence_state: 'VERIFIED', provenance, verification_ref },
})

test('one receipt cited twice is one source, whoever cites it and however it is written', () => {
  const row = rowOf([
    cites('a', { source_id: 'one', receipt_ref: RECEIPT }),
    cites('b', { source_id: 'two', receipt_ref: ` ${RECEIPT.toUpperCase()} ` }),
    cites('c', { source_id: 'three', content_sha256: RECEIPT }),
    cites('d', { source_id: 'four', content_sha256: DIGEST, receipt_ref: RECEIPT }),
  ])
  assert.equal(row.independent_sources, 1)
  assert.deepEqual(
    row.evidence_refs.map(({ duplicate_of }) => duplicate_of),
    ['d', 'd', 'd', null],
  )
})

test('the same content from two sources is two sources where nobody calls it a receipt', () => {
  const row = rowOf([
    cites('a', { source_id: 'one', content_sha256: DIGEST }),
    cites('b', { source_id: 'two', content_sha256: DIGEST }),
    cites('c', { source_id: 'one', content_sha256: DIGEST.toUpperCase() }),
  ])
  assert.equal(row.independent_sources, 2)
})

test('a source that verifies itself and answers for itself is self-declared, and changes no state', () => {
  const own = cites('a', { source_id: ' Desk', content_sha256: DIGEST }, 'desk')
  const row = rowOf([own])
  assert.deepEqual([row.self_declared, row.evidence_refs[0]!.self_declared, row.state], [true, true, 'SUPPORTED'])
  const other = cites('b', { source_id: 'feed', content_sha256: DIGEST }, 'desk')
  const mixed = rowOf([own, other])
  assert.equal(mixed.self_declared, false)
  assert.deepEqual(
    mixed.evidence_refs.map(({ self_declared }) => self_declared),
    [true, false],
  )
  assert.equal(rowOf([own], 'somebody').self_declared, false)
  assert.equal(rowOf([]).self_declared, false)
})
