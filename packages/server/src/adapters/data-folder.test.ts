import assert from 'node:assert/strict'
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '../../../../scripts/testing/private-folder.ts'
import { openDataFolder } from './data-folder.ts'

test('a missing data folder is made with its parents, for its owner alone', (t) => {
  const top = freshFolder('data')
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const folder = openDataFolder(join(top, 'a', 'b'))
  assert.equal(statSync(folder).mode & 0o777, 0o700)
})

test('a data folder below a regular file, or that is one, is refused with its code', (t) => {
  const top = freshFolder('data')
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const file = join(top, 'file')
  writeFileSync(file, '')
  assert.throws(() => openDataFolder(file), { code: 'ENOTDIR' })
  assert.throws(() => openDataFolder(join(file, 'below')), { code: 'ENOTDIR' })
})

test('a file system that takes no folders is refused and not waited for', (t) => {
  if (!existsSync('/proc/self')) return t.skip('SKIPPED: no /proc here')
  assert.throws(
    () => openDataFolder('/proc/self/data'),
    (error: NodeJS.ErrnoException) => typeof error.code === 'string',
  )
})
