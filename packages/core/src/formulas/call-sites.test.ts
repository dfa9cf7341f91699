// What the registry says of call sites is held to the sources: every site that is named calls the function, and every
// file that calls one of these functions is named.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readSource } from '../../../../scripts/source-text.ts'
import { LOCKED_FORMULAS, type LockedFormula } from '../doctrine.ts'
import { readRegistry } from './registry.ts'

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const registry = readRegistry(readFileSync(new URL('./formula-registry.json', import.meta.url), 'utf8'))

/** The functions whose properties are checked, by formula. */
const FUNCTIONS: Record<LockedFormula, readonly string[]> = {
  F1: ['replayDigest', 'replays'],
  F4: ['assertAcyclic'],
  F7: ['assertFifo'],
  F11: ['postTransaction'],
  F12: ['weightedSum'],
  F18: ['encodeShards', 'decodeShards', 'packSnapshot', 'unpackSnapshot'],
  F19: ['affords', 'spend'],
  F22: ['assertEmitsNext'],
}
/** Where the functions are made and checked: a check is no use of them. */
const NO_USE = new Set(['invariants.ts', 'properties.ts'].map((name) => `packages/core/src/formulas/${name}`))

const sources = new Map(
  globSync('packages/*/src/**/*.ts', { cwd: ROOT })
    .filter((path) => !/\.test\.ts$|\/testing\/|\/generated\//.test(path) && !NO_USE.has(path))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
)

/** The names a file calls a function of core by: imported from core, or made in that very file. */
function namesIn(text: string, name: string): string[] {
  const made = new RegExp(`export function ${name}\\(`).test(text) && !text.includes("from '@orch/core'")
  const imports = [...text.matchAll(/import (?:type )?\{([^}]*)\} from '(@orch\/core|[^']*invariants\.ts)'/g)]
  const named = imports
    .flatMap(([, list]) => list!.split(','))
    .map((one) => one.trim().split(' as '))
    .filter(([original]) => original === name)
    .map(([original, alias]) => alias ?? original!)
  return made && named.length === 0 ? [name] : named
}

/** A mention in a comment or a text is no call, and neither is a method of the same name. */
function calls(text: string, name: string): boolean {
  const names = namesIn(text, name)
  if (names.length === 0) return false
  const { code } = readSource(text)
  return names.some((local) => new RegExp(`(?<!function |\\.)\\b${local}\\(`).test(code))
}

const found = (id: LockedFormula): string[] =>
  [...sources].flatMap(([path, text]) =>
    FUNCTIONS[id].filter((name) => calls(text, name)).map((name) => `${path} ${name}`),
  )

for (const id of LOCKED_FORMULAS)
  test(`the call sites of ${id} are exactly the ones the registry names`, () => {
    const row = registry.payload.locked.find((one) => one.id === id)!
    assert.deepEqual([...row.called_by].sort(), found(id).sort())
    assert.equal(/nothing calls it yet/.test(row.scope_note), row.called_by.length === 0)
  })

test('a call site that does not exist and one that is not named would both be found', () => {
  const text = "import { replays } from '@orch/core'\nif (replays(a, b)) return"
  assert.deepEqual([calls(text, 'replays'), calls(text, 'replayDigest')], [true, false])
  assert.equal(calls("import { spend as pay } from '@orch/core'\npay(x, y)", 'spend'), true)
  assert.equal(calls("import { spend } from './budget.ts'\nspend(x, y)", 'spend'), false)
  assert.equal(calls("import { replays } from '@orch/core'", 'replays'), false)
  assert.equal(calls("import { spend } from '@orch/core'\n// spend(x, y)\nconst a = 'spend(x)'", 'spend'), false)
  assert.equal(calls("import { spend } from '@orch/core'\nbudgets.spend(x)", 'spend'), false)
})
