import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freshFolder } from '#testing/private-folder.ts'
import { assetFiles } from './asset-files.ts'

function checkout(t: TestContext): string {
  const root = freshFolder('assets')
  t.after(() => rmSync(root, { recursive: true, force: true }))
  return root
}
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

test('a folder is its sorted lines of digest and name, and a link in it is not followed', async (t) => {
  const root = checkout(t)
  mkdirSync(join(root, 'policies', 'deep'), { recursive: true })
  writeFileSync(join(root, 'policies', 'b.cedar'), 'b')
  writeFileSync(join(root, 'policies', 'deep', 'a.cedar'), 'a')
  writeFileSync(join(root, 'outside'), 'secret')
  symlinkSync(join(root, 'outside'), join(root, 'policies', 'c.cedar'))
  const found = await assetFiles(root).read('policies')
  assert.ok(found.present)
  const lines = [`${digest('b')} b.cedar\n`, `${digest('a')} deep/a.cedar\n`].sort().join('')
  assert.equal(Buffer.from(found.bytes).toString(), lines)
})

test('what is absent, too large or no file says so without naming a path', async (t) => {
  const root = checkout(t)
  writeFileSync(join(root, 'CHANGELOG.md'), '')
  truncateSync(join(root, 'CHANGELOG.md'), 8 * 1024 * 1024 + 1)
  writeFileSync(join(root, 'bench'), 'no folder')
  const reasons = await Promise.all(
    (['license', 'changelog', 'bench-results'] as const).map((name) => assetFiles(root).read(name)),
  )
  assert.deepEqual(
    reasons.map((found) => (found.present ? null : found.reason)),
    ['it is not part of this build', 'it is larger than is served', 'it cannot be read (ENOTDIR)'],
  )
})
