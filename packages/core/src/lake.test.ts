import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { canonicalize } from './canonical.ts'
import { GENESIS_PREV } from './doctrine.ts'
import { LAKE_SCHEMA, lakeHash, lakeText, organOf } from './lake.ts'

const link = {
  organ: 'governance',
  chain_index: 1,
  prev_hash: GENESIS_PREV,
  receipt_digest: 'ab'.repeat(32),
  ts_utc: '2026-01-02T03:04:05.678Z',
}

test('the text of a link is its canonical form', () => {
  for (const organ of ['governance', 'tenant-1/a.b_c-d'])
    assert.equal(lakeText({ ...link, organ }), canonicalize({ ...link, organ, schema: LAKE_SCHEMA }))
})

test('the hash of a link is the SHA3-256 of its text', () => {
  assert.equal(lakeHash(link), createHash('sha3-256').update(lakeText(link)).digest('hex'))
})

test('every part of a link changes its hash', () => {
  const changes = [
    { organ: 'stepping' },
    { chain_index: 2 },
    { prev_hash: 'cd'.repeat(32) },
    { receipt_digest: 'cd'.repeat(32) },
    { ts_utc: '2026-01-02T03:04:05.679Z' },
  ]
  const hashes = new Set([link, ...changes.map((change) => ({ ...link, ...change }))].map(lakeHash))
  assert.equal(hashes.size, 6)
})

test('chains of the same name in two namespaces feed two organs', () => {
  assert.equal(organOf('public', 'governance'), 'governance')
  assert.equal(organOf('tenant', 'governance'), 'tenant/governance')
})
