import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '#testing/private-folder.ts'
import { GuardUnavailable } from '../../errors.ts'
import { fileGuard } from './file-guard.ts'

const folder = freshFolder('file-guard')

const OTHERS: Record<string, (path: string) => void> = {
  pipe: (path) => execFileSync('mkfifo', [path]),
  folder: (path) => mkdirSync(path),
}

for (const [what, make] of Object.entries(OTHERS))
  test(`a guard that is a ${what} is refused at once and says what would be right`, { timeout: 20_000 }, async () => {
    const path = join(folder, what)
    make(path)
    const guard = fileGuard(path, 'file')
    const refused = (error: unknown) => error instanceof GuardUnavailable && /no plain file/.test(error.message)
    await assert.rejects(guard.newest('log.test'), refused)
    await assert.rejects(guard.advance({ note: 'x', old: null, proof: [] }), refused)
  })

test('a guard that is a file is read, and one that is not there holds nothing', async () => {
  writeFileSync(join(folder, 'note'), 'a note')
  assert.equal(await fileGuard(join(folder, 'note'), 'file').newest('log.test'), 'a note')
  assert.equal(await fileGuard(join(folder, 'missing'), 'file').newest('log.test'), null)
})
