import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freshFolder } from '#testing/private-folder.ts'
import { readTrustedKeys } from './signer.ts'

const pem = (namedCurve = 'P-256'): string =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ type: 'spki', format: 'pem' }).toString()

function file(t: TestContext, text: string): string {
  const folder = freshFolder('trusted')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'keys.pem'), text)
  return join(folder, 'keys.pem')
}

test('no file is no trust in others', () => {
  assert.deepEqual(readTrustedKeys(null), [])
})

test('32 keys are trusted as production, 33 are refused', (t) => {
  const keys = Array.from({ length: 33 }, () => pem())
  const read = readTrustedKeys(file(t, keys.slice(0, 32).join('')))
  assert.deepEqual(new Set(read.map(({ kind }) => kind)), new Set(['production']))
  assert.equal(new Set(read.map(({ key }) => key.keyid)).size, 32)
  assert.throws(() => readTrustedKeys(file(t, keys.join(''))), /1 to 32 public keys/)
})

for (const [what, text] of [
  ['nothing', ''],
  ['a key and a remark', `${pem()}# ours`],
  ['a key of another curve', pem('P-384')],
] as const)
  test(`a file that holds ${what} refuses the start`, (t) => {
    assert.throws(() => readTrustedKeys(file(t, text)), /ORCH_TRUSTED_KEYS/)
  })
