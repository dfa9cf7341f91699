import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '#testing/private-folder.ts'
import { readConstellation } from './sources.ts'

const entry = { name: 'site', kind: 'app', group: 'Public', url: 'https://site.example/healthz' }
const file = join(freshFolder('constellation'), 'surfaces.json')
const read = (text: string) => {
  writeFileSync(file, text)
  return readConstellation(file)
}
const list = (...surfaces: object[]) => JSON.stringify({ surfaces })

test('a list of surfaces is read as it stands, and none is configured without a file', () => {
  assert.deepEqual(read(list(entry)), [entry])
  assert.deepEqual(readConstellation(null), [])
})

const refused: [what: string, text: string][] = [
  ['text that is no JSON', '{'],
  ['a list without its name', '[]'],
  ['an unknown field', list({ ...entry, token: 'x' })],
  ['an unknown group', list({ ...entry, group: 'Secret' })],
  ['an address without encryption', list({ ...entry, url: 'http://site.example/' })],
  ['an address with a credential', list({ ...entry, url: 'https://u:p@site.example/' })],
  ['the same address twice', list(entry, { ...entry, name: 'again' })],
  [
    'seventeen surfaces',
    list(...Array.from({ length: 17 }, (_, at) => ({ ...entry, url: `https://s.example/${at}` }))),
  ],
  ['a name of two lines', list({ ...entry, name: 'a\nb' })],
]
for (const [what, text] of refused)
  test(`${what} refuses the start and says the rule, not the content`, () => {
    assert.throws(() => read(text), /^Error: ORCH_CONSTELLATION_FILE must name a file of/)
  })
