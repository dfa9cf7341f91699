import assert from 'node:assert/strict'
import { test } from 'node:test'
import document from '../../../../rules/step-lexicon.json' with { type: 'json' }
import { ENGLISH, readPinned } from './word-lists.ts'

test('one changed word is another lexicon, and it is refused by the digest it has', () => {
  const { english, ...rest } = document
  const changed = { ...rest, english: { ...english, doubling: `${english.doubling} keep` } }
  assert.throws(
    () => readPinned(changed, '0'.repeat(64)),
    /step-lexicon\.json has the digest [0-9a-f]{64} and not 0{64}/,
  )
  assert.equal(ENGLISH, english)
})
