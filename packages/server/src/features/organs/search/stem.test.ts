import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { TextIndex } from './io/text-index.ts'
import { stem } from './stem.ts'

test('every word of our own documents has the stem that the index gives it', () => {
  const docs = new URL('../../../../../../docs/', import.meta.url)
  const texts = globSync('*.md', { cwd: docs }).map((name) => readFileSync(new URL(name, docs), 'utf8'))
  const words = new Set(
    texts
      .join(' ')
      .toLowerCase()
      .match(/\b[a-z]{1,30}\b/g),
  )
  assert.ok(words.size > 1000)
  const index = new TextIndex()
  index.put([...words].map((word) => ({ id: word, text: word })))
  for (const word of words) assert.deepEqual([stem(word)], index.terms(word), word)
  index.close()
})
