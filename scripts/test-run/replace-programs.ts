// Imported first by every process of a test run: threads and processes whose programs were bundled start from the bundle.
import childProcess from 'node:child_process'
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import workerThreads, { Worker, type WorkerOptions } from 'node:worker_threads'

/** In a bundle this is a constant. */
const folder = process.env.TEST_PROGRAMS

const PROGRAM = /\.(?:ts|mjs)$/

/** The bundle of a program, or what it was given. */
function startOf(path: string, bundles: string): string {
  const program = relative(dirname(dirname(bundles)), path)
  if (program.startsWith('..') || !PROGRAM.test(program)) return path
  const bundle = join(bundles, program.replace(PROGRAM, '.mjs'))
  return existsSync(bundle) ? bundle : path
}

function replacePrograms(bundles: string): void {
  const { spawn, execFile } = childProcess
  const replaced = (args: unknown): unknown =>
    Array.isArray(args) ? args.map((arg) => (typeof arg === 'string' ? startOf(arg, bundles) : arg)) : args
  const around = (start: (...args: never[]) => unknown) =>
    // A function that can be turned into one with a promise says so by a property.
    Object.defineProperties(
      (command: string, args: unknown, ...rest: unknown[]) =>
        Reflect.apply(start, undefined, [command, replaced(args), ...rest]),
      Object.getOwnPropertyDescriptors(start),
    )
  class BundledWorker extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(file instanceof URL && file.protocol === 'file:' ? startOf(fileURLToPath(file), bundles) : file, options)
    }
  }
  Object.assign(workerThreads, { Worker: BundledWorker })
  Object.assign(childProcess, { spawn: around(spawn), execFile: around(execFile) })
  syncBuiltinESMExports()
}

if (folder) replacePrograms(folder)
