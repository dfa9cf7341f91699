// The program of a process that runs test files, one after the other. Of several, each is a test by its own name, and the
// tests, hooks and services of a file are inside it and gone before the next one begins.
import './test-context.ts'
import './replace-programs.ts'
import { pathToFileURL } from 'node:url'

const { test } = await import('node:test')
const files = process.argv.slice(2)
const load = (file: string) => import(pathToFileURL(file).href)
if (files.length === 1) await load(files[0]!)
else {
  // Timers that keep no process alive are waited for all the same.
  const awake = setInterval(() => undefined, 60_000)
  for (const file of files) await test(file, () => load(file))
  clearInterval(awake)
}
