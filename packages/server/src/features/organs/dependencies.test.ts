// What an organ declares to run on is held to the sources: every organ whose folder it imports from is declared.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const FOLDER = import.meta.dirname
const organFiles = globSync('*/organ.ts', { cwd: FOLDER })
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')
const idOf = (file: string): string => /\bid: '(N\d+)'/.exec(textOf(file))![1]!
const idByFolder = new Map(organFiles.map((file) => [file.split('/')[0]!, idOf(file)]))
const declared = (file: string): string[] =>
  [...(/\bdependsOn: \[([^\]]*)\]/.exec(textOf(file))?.[1] ?? '').matchAll(/'(N\d+)'/g)].map(([, id]) => id!)

/** Code of an organ that others use as well lies beside their folders. */
const SHARED: Readonly<Record<string, string>> = { 'text-screen.ts': 'N3', search: 'N9', 'authorize.ts': 'N25' }

/** Organs whose code a file of this one imports, now or when it first runs. */
const imported = (folder: string): string[] =>
  globSync(`${folder}/**/*.ts`, { cwd: FOLDER })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/(?:from |import\()'(?:\.\.\/)+([a-z-]+(?:\.ts)?)['/]/g)].map(([, other]) => other!),
    )
    .flatMap((other) => (other === folder ? [] : (SHARED[other] ?? idByFolder.get(other) ?? [])))

/** What is handed over where the organs are opened, by the functions that stand for another organ. */
const HANDED: readonly (readonly [name: RegExp, id: string])[] = [
  [/\bscreen: |\bscreen \}/, 'N3'],
  [/\bauthorize: /, 'N25'],
]
const opened = (name: string): string => {
  const text = textOf('open.ts')
  const start = text.search(new RegExp(`^    ${name}\\(`, 'm'))
  return text.slice(start, start + text.slice(start).search(/\n {4}(?:\w+[(,]|\/\/)/))
}
const FUNCTIONS: Readonly<Record<string, string>> = { eval: 'evaluation' }

for (const file of organFiles)
  test(`${file} declares the organs that it runs on`, () => {
    const folder = file.split('/')[0]!
    const handed = HANDED.flatMap(([name, id]) => (name.test(opened(FUNCTIONS[folder] ?? folder)) ? [id] : []))
    const suites =
      folder === 'eval' ? [...textOf('eval/suites.json').matchAll(/"organ": "(N\d+)"/g)].map(([, id]) => id!) : []
    const found = [...new Set([...imported(folder), ...handed, ...suites])].filter((id) => id !== idOf(file))
    assert.deepEqual(declared(file).sort(), found.sort())
  })
