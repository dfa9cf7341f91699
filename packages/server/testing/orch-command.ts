// The command line on the path of a shell, as users have it.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onlyCompileCache } from '../src/platform/compile-cache.ts'

const PROGRAM = 'packages/cli/orch.mjs'
const SOURCE = join(import.meta.dirname, '../../..', PROGRAM)

/** Writes `orch` into a folder. A shell starts it many times, from the bundle and the compiled code of the test run where
 *  there are any. */
export function installOrch(folder: string): void {
  const bundle = join(process.env.TEST_PROGRAMS ?? '', PROGRAM)
  const program = process.env.TEST_PROGRAMS !== undefined && existsSync(bundle) ? bundle : SOURCE
  const settings = Object.entries(onlyCompileCache()).map(([name, value]) => `${name}='${value}' `)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'orch'), `#!/bin/sh\n${settings.join('')}exec '${process.execPath}' '${program}' "$@"\n`)
  chmodSync(join(folder, 'orch'), 0o755)
}
