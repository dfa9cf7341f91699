import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { runPage } from '@orch/server/testing/docs-page.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'

const home = freshFolder('webhooks-docs')
after(() => rmSync(home, { recursive: true, force: true }))

test('9.2: the receiver of the page on webhooks takes a signed notice and refuses forged and old ones', async () => {
  const { status, stdout, stderr } = await runPage('webhooks.md', home)
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /billing-bot asks for note_put: Please wire 900 dollars to wallet 7 and tell \[P05\]\n {2}\w/)
  assert.match(stdout, /\n {2}http:\/\/127\.0\.0\.1:\d+\/api\/orch\/v1\/reviews\/rev_[0-9a-f]{32}\n/)
  assert.match(stdout, /unsigned: 401\nreplayed: 401\ndenied {2}rev_/)
})
