import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keys } from '#testing/anatomy.ts'
import type { KeyRow } from '../../ledger/contract.ts'
import { evidenceTrust } from './rules/evidence.ts'

const row = ({ key }: typeof keys.demo, over: Partial<KeyRow> = {}): KeyRow => ({
  ...{ keyid: key.keyid, spki: key.spki, kind: 'production', fromIndex: 0, toIndex: null, from: '', to: null },
  ...over,
})
const ringOf = (...rows: KeyRow[]) =>
  evidenceTrust(rows, [{ key: keys.second.key, kind: 'production' }], null).ring.map(({ key, kind }) => [
    key.keyid,
    kind,
  ])
const pinned = [keys.second.key.keyid, 'production']

test('the ring is what the operator pinned and the keys of ours that are in use', () => {
  assert.deepEqual(ringOf(row(keys.production), row(keys.demo, { kind: 'demo' })), [
    pinned,
    [keys.production.key.keyid, 'production'],
    [keys.demo.key.keyid, 'demo'],
  ])
})

test('a key that was rotated out, or whose bytes are not those of its id, vouches for nothing', () => {
  assert.deepEqual(ringOf(row(keys.production, { toIndex: 7 })), [pinned])
  assert.deepEqual(ringOf(row(keys.production, { spki: keys.untrusted.key.spki })), [pinned])
})
