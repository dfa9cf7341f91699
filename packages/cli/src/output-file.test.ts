import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { writeOutputFile } from './output-file.ts'

const folder = freshFolder('cli-output')
after(() => rmSync(folder, { recursive: true, force: true }))

test('a file has its name when it is complete and not before', async () => {
  const path = join(folder, 'whole')
  await writeOutputFile(path, async (file) => {
    file.write('a\n'.repeat(300_000))
    assert.equal(existsSync(path), false)
    file.write('end\n')
  })
  assert.equal(readFileSync(path, 'utf8'), `${'a\n'.repeat(300_000)}end\n`)
})

test('work that fails leaves nothing, and what was there before stays', async () => {
  const path = join(folder, 'kept')
  await writeOutputFile(path, async (file) => file.write('first'))
  await assert.rejects(
    writeOutputFile(path, async (file) => {
      file.write('second')
      throw new Error('cut')
    }),
    /cut/,
  )
  assert.equal(readFileSync(path, 'utf8'), 'first')
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.partial')),
    [],
  )
})
