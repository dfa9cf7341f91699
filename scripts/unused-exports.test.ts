import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportFaults, unusedExports } from './unused-exports.ts'

const A = 'packages/server/src/a.ts'
const found = (sources: Record<string, string>) => Object.fromEntries(unusedExports(new Map(Object.entries(sources))))

test('an export that no source file imports is unused, whatever it is', () => {
  const source = `export const one = 1\nexport async function two() {}\nexport type Three = 3\nconst four = 4\nexport { four as five }`
  assert.deepEqual(found({ [A]: source }), { [A]: ['Three', 'five', 'one', 'two'] })
})

test('an import, a re-export, a renamed import and a whole module are uses; a word in a comment or a string is none', () => {
  const sources = { [A]: 'export const one = 1\nexport const two = 2' }
  const uses = {
    "import { one } from './a.ts'": ['two'],
    "import {\n  one,\n  type two as other,\n} from './a.ts'": undefined,
    "export { two } from './a.ts'": ['one'],
    "import * as all from './a.ts'": undefined,
    "const { one } = await import('./a.ts')": undefined,
    "// import { one } from './a.ts'\nconst text = 'two'": ['one', 'two'],
  }
  for (const [use, unused] of Object.entries(uses))
    assert.deepEqual(found({ ...sources, 'packages/server/src/b.ts': use })[A], unused, use)
})

test('what only a test or a fixture imports is unused, but a fixture may serve a test', () => {
  const sources = {
    [A]: 'export const one = 1',
    'packages/server/src/a.test.ts': "import { one } from './a.ts'\nimport { help } from '#testing/help.ts'",
    'packages/server/testing/help.ts': "import { one } from '../src/a.ts'\nexport const help = one",
  }
  assert.deepEqual(found(sources), { [A]: ['one'] })
})

test('the list holds what is unused and nothing else, and never more than it did', () => {
  const unused = new Map([[A, ['one', 'two']]])
  assert.deepEqual(exportFaults(unused, { max: 2, names: new Set([`${A} one`, `${A} two`]) }), [])
  assert.match(exportFaults(unused, { max: 2, names: new Set([`${A} one`]) })[0] ?? '', /a\.ts two: nothing imports it/)
  assert.match(exportFaults(new Map(), { max: 1, names: new Set([`${A} one`]) })[0] ?? '', /one: is not unused/)
  assert.match(
    exportFaults(unused, { max: 1, names: new Set([`${A} one`, `${A} two`]) })[0] ?? '',
    /lists 2 names and may list 1/,
  )
})
