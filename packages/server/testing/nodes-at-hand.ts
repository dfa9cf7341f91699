// The runtimes a package has to work on, as far as this machine has them.
import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

type NodeAtHand = { major: number; version: string; path: string; folder: string }

/** One of each major version from 20 on: the one that runs this test, and those on the path and in the usual places. */
export function nodesAtHand(): NodeAtHand[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin', '/usr/bin', '/opt/node/bin']
  const programs = [process.execPath, ...folders.map((folder) => join(folder, 'node'))].filter((path) =>
    existsSync(path),
  )
  const found = new Map<number, NodeAtHand>()
  for (const path of new Set(programs.map((program) => realpathSync(program)))) {
    const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? ''
    const major = Number(/^v(\d+)\./.exec(version)?.[1] ?? 0)
    if (major >= 20 && !found.has(major)) found.set(major, { major, version, path, folder: dirname(path) })
  }
  return [...found.values()].sort((a, b) => a.major - b.major)
}
