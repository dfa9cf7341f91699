// A page of docs/ whose commands start services of their own, run from its first line to its last.
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { installOrch } from './orch-command.ts'

const ROOT = join(import.meta.dirname, '../../..')

const freePort = () =>
  new Promise<string>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(String(port)))
    })
  })

/** In `home`, with every port 1809x of the page replaced by a free one. */
export async function runPage(name: string, home: string, env: Record<string, string> = {}) {
  installOrch(join(home, 'bin'))
  symlinkSync(process.execPath, join(home, 'bin/node'))
  cpSync(join(ROOT, 'examples'), join(home, 'examples'), { recursive: true })
  const page = readFileSync(join(ROOT, 'docs', name), 'utf8')
  let script = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block).join('\n')
  for (const port of new Set(script.match(/\b1809\d\b/g))) script = script.replaceAll(port, await freePort())
  // A line that fails leaves no process behind.
  const tidied = `trap 'kill $SERVICE $SECOND $WITNESS $RECEIVER 2> /dev/null || true' EXIT\n${script}`
  const path = spawnSync('sh', ['-c', 'printf %s "$PATH"'], { encoding: 'utf8' }).stdout
  const places = { PATH: `${home}/bin:${path}`, HOME: home, XDG_CONFIG_HOME: join(home, 'config') }
  // No work of the service's own accord but what the page asks for.
  const own = { ...places, ORCH_RESEARCH_WARM: 'off', ...env }
  return spawnSync('sh', ['-ec', tidied], { cwd: home, env: own, encoding: 'utf8' })
}
