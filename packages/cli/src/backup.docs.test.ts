import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { ORCH } from './testing/run-orch.ts'

const home = freshFolder('backup-docs')
after(() => rmSync(home, { recursive: true, force: true }))

const freePort = () =>
  new Promise<string>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(String(port)))
    })
  })

test('the page on backups works from its first line to its last', async () => {
  mkdirSync(join(home, 'bin'))
  writeFileSync(join(home, 'bin/npx'), `#!/bin/sh\nshift\nexec '${process.execPath}' '${ORCH}' "$@"\n`)
  chmodSync(join(home, 'bin/npx'), 0o755)
  const page = readFileSync(join(import.meta.dirname, '../../../docs/backup.md'), 'utf8')
  const [witness, service] = [await freePort(), await freePort()]
  const script = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map(([, block]) => block!.replaceAll('18090', witness).replaceAll('18091', service))
    .join('\n')
  // A line that fails leaves no process behind.
  const tidied = `trap 'kill $SERVICE $WITNESS 2> /dev/null || true' EXIT\n${script}`
  const env = { PATH: `${home}/bin:${process.env.PATH}`, HOME: home, XDG_CONFIG_HOME: join(home, 'config') }
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', tidied], { cwd: home, env, encoding: 'utf8' })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /holds 1 receipts, but a checkpoint over 2 was signed/)
  assert.match(stdout, /origin .*\/restored-1/)
  assert.match(
    stdout,
    /RESTORED {7}the operator went on with a restored ledger of 1 receipts: 2 had been signed, so 1 are/,
  )
  assert.match(stdout, /\/restored-1\+[0-9a-f]{8}\+/)
})
