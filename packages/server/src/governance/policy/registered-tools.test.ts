import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTools } from './registered-tools.ts'

const DEPLOY = { name: 'deploy', effect: 'external', description: 'Ships a build' }
const read = (document: unknown) =>
  readTools(
    [
      {
        name: 'tools.json',
        sha256: '',
        text: typeof document === 'string' ? document : JSON.stringify(document),
      },
    ],
    ['hash'],
  )
const withTools = (...tools: unknown[]) => ({ schema: 'orch.tools/v1', tools })

test('a tool is registered under its name with its effect', () => {
  const tools = read(withTools(DEPLOY, { ...DEPLOY, name: 'github/create_issue', review: true }))
  assert.deepEqual(tools.get('deploy'), DEPLOY)
  assert.equal(tools.get('github/create_issue')?.review, true)
  assert.equal(tools.get('toString'), undefined)
})

test('a set without the file registers nothing', () => assert.equal(readTools([], []).size, 0))

for (const [why, document, message] of [
  ['is no JSON', '{', /tools\.json is not JSON: .* at line 1, column 2/],
  ['holds a key twice', '{\n"tools":[],"tools":[]}', /same key twice at line 2, column 12/],
  ['has another schema', { schema: 'orch.tools/v2', tools: [] }, /\/schema: must be "orch\.tools\/v1"/],
  ['lacks a description', withTools({ name: 'a', effect: 'read' }), /\/tools\/0/],
  [
    'has an effect that is none',
    withTools({ ...DEPLOY, effect: 'harmless' }),
    /\/tools\/0\/effect: must be one of none, read, write, external, destructive/,
  ],
  ['has a field nobody reads', withTools({ ...DEPLOY, reveiw: true }), /\/tools\/0.*may have review/],
  ['has a name of 65 characters', withTools({ ...DEPLOY, name: 'a'.repeat(65) }), /\/tools\/0\/name/],
  [
    'has a name with a space',
    withTools({ ...DEPLOY, name: 'a b' }),
    /\/tools\/0\/name: must be a letter and up to 63 more .* such as/,
  ],
  ['registers a name twice', withTools(DEPLOY, DEPLOY), /deploy twice/],
  ['takes the name of a built-in tool', withTools({ ...DEPLOY, name: 'hash' }), /built-in/],
  [
    'holds 1,025 tools',
    withTools(...Array.from({ length: 1025 }, (_, n) => ({ ...DEPLOY, name: `t${n}` }))),
    /\/tools/,
  ],
] as const)
  test(`a tools file that ${why} is refused as a whole`, () => {
    assert.throws(() => read(document), message)
  })

test('a name of 64 characters and a list of 1,024 tools fit', () => {
  assert.equal(read(withTools({ ...DEPLOY, name: 'a'.repeat(64) })).size, 1)
  assert.equal(read(withTools(...Array.from({ length: 1024 }, (_, n) => ({ ...DEPLOY, name: `t${n}` })))).size, 1024)
})
