import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { type Case, differences, type KeysFile, trustOf } from '../../../vectors/cases.ts'
import { createSignaturePool } from './signature-pool.ts'
import { verifyPath } from './verify.ts'

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../vectors/${name}`, import.meta.url), 'utf8'))
const cases = read('cases.json') as Case[]
const keys = read('keys.json') as KeysFile
const folder = freshFolder('cli-vectors')
after(() => rmSync(folder, { recursive: true, force: true }))

test('every shared case has the same verdict as a file as it has in the library', async () => {
  assert.ok(cases.length > 100)
  for (const [at, one] of cases.entries()) {
    const file = join(folder, `${at}.json`)
    writeFileSync(file, one.text ?? JSON.stringify(one.input) ?? '')
    assert.deepEqual(differences(one, await verifyPath(file, trustOf(keys, one))), [], one.name)
  }
})

test('ledger exports have the same verdict when their signatures are verified in threads', async () => {
  const all = Object.values(keys.p256).map(({ pem }) => pem)
  const { importPublicKey } = await import('@orch/core')
  const pool = createSignaturePool(
    all.map((pem) => importPublicKey(pem)!),
    2,
  )
  for (const [at, one] of cases.entries()) {
    if (one.expected.kind !== 'ledger-export') continue
    const file = join(folder, `threaded-${at}.jsonl`)
    writeFileSync(file, one.text ?? JSON.stringify(one.input))
    const report = await verifyPath(file, trustOf(keys, one), { verifySignatures: pool.verifySignatures })
    assert.deepEqual(differences(one, report), [], one.name)
  }
  await pool.close()
})
