import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const SOURCES = join(import.meta.dirname, '../..')

test('the panel is shown and checked, and nothing else in the service reads it', () => {
  const importing = globSync('**/*.ts', { cwd: SOURCES })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => /from '[^']*\/(?:lambda-panel|calculators)\.ts'/.test(readFileSync(join(SOURCES, file), 'utf8')))
  assert.deepEqual(importing.sort(), [
    'features/wirea/calculators.ts',
    'features/wirea/operations.ts',
    'features/wirea/self-checks.ts',
  ])
})
