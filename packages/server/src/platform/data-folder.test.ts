import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '#testing/private-folder.ts'
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

test('a data folder that others may read is closed to them, with all that lies in it, and nothing outside it is touched', (t) => {
  if (process.platform === 'win32') return t.skip('SKIPPED: no permission bits here')
  const top = freshFolder('data')
  t.after(() => rmSync(top, { recursive: true, force: true }))
  const folder = join(top, 'data')
  const below = join(folder, 'snapshots', '000000000000000')
  mkdirSync(below, { recursive: true })
  const files = [
    'ledger.sqlite',
    'ledger.sqlite-wal',
    'ledger.sqlite-shm',
    'demo-signing-key.pem',
    'last-checkpoint.txt',
  ]
  const inside = [...files.map((name) => join(folder, name)), join(below, 'shard-0.rs')]
  const outside = join(top, 'outside')
  for (const file of [...inside, outside]) {
    writeFileSync(file, '')
    chmodSync(file, 0o644)
  }
  symlinkSync(outside, join(folder, 'link'))
  const folders = [folder, join(folder, 'snapshots'), below]
  for (const path of folders) chmodSync(path, 0o755)
  openDataFolder(folder)
  const modes = (paths: string[]) => paths.map((path) => statSync(path).mode & 0o777)
  assert.deepEqual(modes(folders), [0o700, 0o700, 0o700])
  assert.deepEqual(modes(inside), Array(inside.length).fill(0o600))
  assert.deepEqual(modes([outside]), [0o644])
})
