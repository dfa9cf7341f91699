// The program of a process that runs several test files, one after the other: each is a test by its own name, and the
// tests, hooks and services of a file are inside it and gone before the next one begins.
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'

// Timers that keep no process alive are waited for all the same.
const awake = setInterval(() => undefined, 60_000)
for (const file of process.argv.slice(2)) await test(file, () => import(pathToFileURL(file).href))
clearInterval(awake)
