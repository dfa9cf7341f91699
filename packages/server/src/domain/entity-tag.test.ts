import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entityTag, isCachedBy } from './entity-tag.ts'

const tag = entityTag('a'.repeat(64))

test('a tag is held when it stands in the list, weak or strong, and not otherwise', () => {
  assert.ok(isCachedBy(tag, tag))
  assert.ok(isCachedBy(`"x", W/${tag}`, tag))
  for (const header of [undefined, '', '*', '"x"', 'a'.repeat(64)]) assert.equal(isCachedBy(header, tag), false)
})
