import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { writeOf } from '#testing/ledger-stores.ts'
import type { DocumentWrite } from './contract.ts'
import {
  assertDocuments,
  DocumentCheck,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_WRITES,
  type StoredVersion,
} from './side-writes.ts'

const stored = (version: number, over: Partial<StoredVersion> = {}): StoredVersion => ({
  version,
  present: true,
  nodeIndex: 7,
  ...over,
})

const unstorable: [what: string, writes: DocumentWrite[]][] = [
  ['a space with a colon, which could look like another document', [writeOf('a', { space: 'a:b' })]],
  ['a key that is no digest', [writeOf('a', { key: 'a' })]],
  ['a key in capitals, which would be the same bytes under two names', [writeOf('a', { key: 'AB'.repeat(32) })]],
  ['a negative version', [writeOf('a', { expect: -1 })]],
  ['half a version', [writeOf('a', { expect: 1.5 })]],
  ['a rank beyond 2^53', [writeOf('a', { rank: 2 ** 53 })]],
  ['an owner with U+0000', [writeOf('a', { owner: 'public/\u0000' })]],
  ['an owner with half a character', [writeOf('a', { owner: '\ud800' })]],
  ['an owner too long for an index', [writeOf('a', { owner: '\u20ac'.repeat(171) })]],
  ['a state with a blank', [writeOf('a', { state: 'in use' })]],
  ['a value with U+0000', [writeOf('a', { value: '"\u0000"' })]],
  ['a value with half a character', [writeOf('a', { value: '"\udfff"' })]],
  ['a value over the limit', [writeOf('a', { value: `"${'\u20ac'.repeat(MAX_DOCUMENT_BYTES / 3)}"` })]],
  ['the removal of what must not exist', [writeOf('a', { value: null })]],
  ['one document twice', [writeOf('a'), writeOf('a', { expect: 1 })]],
  ['too many at once', Array.from({ length: MAX_DOCUMENT_WRITES + 1 }, (_, n) => writeOf(`${n}`))],
]
for (const [what, writes] of unstorable)
  test(`${what} is refused before it is queued`, () => {
    assert.throws(() => assertDocuments(writes))
  })

test('what JSON escapes and what is just within the limits is storable', () => {
  assertDocuments([
    writeOf('a', { value: JSON.stringify('\u0000 \ud800'), rank: -(2 ** 53) + 1 }),
    writeOf('b', { value: 'x'.repeat(MAX_DOCUMENT_BYTES), owner: 'o'.repeat(512), state: '' }),
    writeOf('a', { space: 'another/space', expect: 3, value: null }),
  ])
})

test('a write without a receipt keeps the receipt the document had; one that begins it anew does not', () => {
  const writes = [writeOf('kept', { expect: 4 }), writeOf('anew')]
  const check = new DocumentCheck(writes, [stored(4), stored(9, { present: false })])
  assert.equal(check.conflict(writes), null)
  check.take(writes, null)
  assert.deepEqual(
    check.result.map(({ version, from, nodeIndex }) => [version, from, nodeIndex]),
    [
      [5, 4, 7],
      [10, 9, null],
    ],
  )
})

test('a conflict with the store and with the batch at once is one with the store', () => {
  const writes = [writeOf('a'), writeOf('b')]
  const check = new DocumentCheck(writes, [null, stored(1)])
  check.take([writeOf('a')], 0)
  assert.equal(check.conflict([writeOf('a')]), 'batch')
  assert.equal(check.conflict(writes), 'store')
})

test('under any writes, removals and stale attempts a version is never seen twice', () => {
  const step = fc.record({ stale: fc.boolean(), removes: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let latest: StoredVersion | null = null
      const seen: number[] = []
      for (const { stale, removes } of steps) {
        const present: number = latest?.present ? latest.version : 0
        const expect = stale ? present + 1 : present
        const write = writeOf('a', { expect, value: removes && expect > 0 ? null : '{}' })
        const check: DocumentCheck = new DocumentCheck([write], [latest])
        assert.equal(check.conflict([write]), stale ? 'store' : null)
        if (stale) continue
        check.take([write], 1)
        const [row] = check.result
        seen.push(row!.version)
        latest = { version: row!.version, present: row!.value !== null, nodeIndex: 1 }
      }
      assert.deepEqual(
        seen,
        seen.map((_, at) => at + 1),
      )
    }),
    { seed: 3 },
  )
})
