import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sha256Hex } from '@orch/core'
import { freshFolder } from '#testing/private-folder.ts'
import { openFileSink } from './sink-file.ts'

const ID = sha256Hex('effect')
const bytes = (text: string) => new TextEncoder().encode(text)
const codeOf = (code: string) => (error: NodeJS.ErrnoException) => error.code === code

async function opened(t: TestContext) {
  const folder = freshFolder('sink')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, ID.slice(0, 2), `${ID}.json`)
  return { folder, file, sink: await openFileSink({ folder, now: Date.now }) }
}

test('an effect lies under its id, readable by its owner alone, and leaves no draft', async (t) => {
  const { folder, file, sink } = await opened(t)
  await sink.deliver({ effect_id: ID, bytes: bytes('{"a":1}') })
  assert.equal(readFileSync(file, 'utf8'), '{"a":1}')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(folder, 'drafts')), [])
  assert.deepEqual(await sink.delivered?.(ID), Buffer.from('{"a":1}'))
  assert.equal(await sink.delivered?.(sha256Hex('another')), null)
})

test('a folder keeps its name, and no two have the same', async (t) => {
  const [{ folder, sink }, other] = [await opened(t), await opened(t)]
  const again = await Promise.all([1, 2, 3].map(() => openFileSink({ folder, now: Date.now })))
  for (const { name } of again) assert.equal(name, sink.name)
  assert.notEqual(other.sink.name, sink.name)
  assert.match(sink.name, /^file:[0-9a-f]{32}$/)
})

test('the same effect again is the same delivery, also twenty times at once', async (t) => {
  const { folder, file, sink } = await opened(t)
  await Promise.all(Array.from({ length: 20 }, () => sink.deliver({ effect_id: ID, bytes: bytes('once') })))
  assert.equal(readFileSync(file, 'utf8'), 'once')
  assert.equal(statSync(file).nlink, 1)
  assert.deepEqual(readdirSync(join(folder, 'drafts')), [])
})

test('another content under a taken id is a conflict and overwrites nothing', async (t) => {
  const { file, sink } = await opened(t)
  await sink.deliver({ effect_id: ID, bytes: bytes('first') })
  await assert.rejects(sink.deliver({ effect_id: ID, bytes: bytes('other') }), codeOf('ARTIFACT_CONFLICT'))
  await assert.rejects(sink.deliver({ effect_id: ID, bytes: bytes('firs') }), codeOf('ARTIFACT_CONFLICT'))
  assert.equal(readFileSync(file, 'utf8'), 'first')
})

test('drafts that a crash left are cleared at the next start, those of a delivery under way are not', async (t) => {
  const { folder } = await opened(t)
  for (const name of ['old', 'new']) writeFileSync(join(folder, 'drafts', name), 'x')
  const hoursAgo = Date.now() / 1000 - 7200
  utimesSync(join(folder, 'drafts', 'old'), hoursAgo, hoursAgo)
  await openFileSink({ folder, now: Date.now })
  assert.deepEqual(readdirSync(join(folder, 'drafts')), ['new'])
})

test('a folder that does not take the file says so by its code', async (t) => {
  const { folder, sink } = await opened(t)
  writeFileSync(join(folder, ID.slice(0, 2)), 'a file where a folder should be')
  await assert.rejects(sink.deliver({ effect_id: ID, bytes: bytes('x') }), (error: NodeJS.ErrnoException) =>
    ['EEXIST', 'ENOTDIR'].includes(String(error.code)),
  )
  rmSync(join(folder, ID.slice(0, 2)))
  mkdirSync(join(folder, ID.slice(0, 2), `${ID}.json`), { recursive: true })
  await assert.rejects(sink.deliver({ effect_id: ID, bytes: bytes('x') }), codeOf('EISDIR'))
  assert.deepEqual(readdirSync(join(folder, 'drafts')), [])
})
