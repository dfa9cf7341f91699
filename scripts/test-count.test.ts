import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isTest, readTree } from './architecture-tree.ts'

/** Raised when many were added; lowered only together with a commit that names each test it removes, and why. */
const MIN_TESTS = 2326

test('no test disappears unnoticed', () => {
  const tree = readTree(dirname(dirname(fileURLToPath(import.meta.url))))
  const sources = [...tree].filter(([file]) => isTest(file)).map(([, source]) => source)
  const count = sources.reduce((sum, source) => sum + (source.match(/^\s*(?:await )?test\(/gm)?.length ?? 0), 0)
  assert.ok(count >= MIN_TESTS, `${count} tests are written where there were ${MIN_TESTS}`)
})
