import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { runPage } from '@orch/server/testing/docs-page.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'

const home = freshFolder('backup-docs')
after(() => rmSync(home, { recursive: true, force: true }))

test('9.4: the page on backups works from its first line to its last', async () => {
  const { status, stdout, stderr } = await runPage('backup.md', home)
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /holds 1 receipts, but a checkpoint over 2 was signed/)
  assert.match(stdout, /origin .*\/restored-1/)
  assert.match(
    stdout,
    /RESTORED {7}the operator went on with a restored ledger of 1 receipts: 2 had been signed, so 1 are/,
  )
  assert.match(stdout, /\/restored-1\+[0-9a-f]{8}\+/)
})
