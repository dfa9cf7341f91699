// Every check that was promised to users has a test under its id: `2c` at the beginning of a test's name is the check 2c.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

const PROMISED: Readonly<Record<string, string>> = {
  '1': 'abcdef',
  '2': 'abcdefghij',
  '3': 'abcde',
  '4': 'abcdef',
  '5': 'abcd',
  '6': 'abcd',
  '9.': '123456',
}
const IDS = Object.entries(PROMISED).flatMap(([section, letters]) => [...letters].map((letter) => section + letter))

/** Names begin with one id or several, and may be indented, computed, or follow a modifier of the runner. */
const NAME = /\btest(?:\.\w+)?\(\s*[`'"]((?:(?:\d[a-j]|9\.\d):? )+)/g

const testFiles = (): string[] =>
  ['packages', 'scripts', 'examples', 'clients', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
      .map((name) => join(ROOT, folder, name)),
  )

test('every promised check has a test that begins with its id', () => {
  const named = new Set(
    testFiles().flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(NAME)]
        .flatMap(([, ids]) => ids!.trim().split(/:? /))
        .map((id) => id.replace(':', '')),
    ),
  )
  assert.deepEqual(
    IDS.filter((id) => !named.has(id)),
    [],
  )
})
