// A page of docs/ whose commands start services of their own, run from its first line to its last.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const ORCH = join(ROOT, 'packages/cli/orch.mjs')

const freePort = () =>
  new Promise<string>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(String(port)))
    })
  })

/** In `home`, with every port 1809x of the page replaced by a free one. */
export async function runPage(name: string, home: string, env: Record<string, string> = {}) {
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'bin/orch'), `#!/bin/sh\nexec '${process.execPath}' '${ORCH}' "$@"\n`)
  chmodSync(join(home, 'bin/orch'), 0o755)
  symlinkSync(process.execPath, join(home, 'bin/node'))
  cpSync(join(ROOT, 'examples'), join(home, 'examples'), { recursive: true })
  const page = readFileSync(join(ROOT, 'docs', name), 'utf8')
  let script = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n')
  for (const port of new Set(script.match(/\b1809\d\b/g))) script = script.replaceAll(port, await freePort())
  // A line that fails leaves no process behind.
  const tidied = `trap 'kill $SERVICE $SECOND $WITNESS $RECEIVER 2> /dev/null || true' EXIT\n${script}`
  const path = spawnSync('sh', ['-c', 'printf %s "$PATH"'], { encoding: 'utf8' }).stdout
  const own = { PATH: `${home}/bin:${path}`, HOME: home, XDG_CONFIG_HOME: join(home, 'config'), ...env }
  return spawnSync('sh', ['-ec', tidied], { cwd: home, env: own, encoding: 'utf8' })
}
