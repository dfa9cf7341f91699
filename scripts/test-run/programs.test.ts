import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'

const REPLACE = new URL('./replace-programs.ts', import.meta.url).href

test('threads and processes start from the bundle of their program, and from its source where there is none', (t) => {
  const root = freshFolder('programs')
  t.after(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, 'reports/programs'), { recursive: true })
  for (const file of ['bundled.ts', 'source.ts', 'reports/programs/bundled.mjs'])
    writeFileSync(join(root, file), `console.log(${JSON.stringify(file)})\n`)
  const script = `
    await import(${JSON.stringify(REPLACE)})
    const { execFile, spawn } = await import('node:child_process')
    const { Worker } = await import('node:worker_threads')
    const done = (started, event) => new Promise((resolve) => started.once(event, resolve))
    for (const name of ['bundled.ts', 'source.ts']) {
      const path = ${JSON.stringify(root)} + '/' + name
      await done(new Worker(new URL('file://' + path)), 'exit')
      await done(spawn(process.execPath, [path], { stdio: 'inherit' }), 'close')
      await new Promise((resolve) => execFile(process.execPath, [path], (_, out) => resolve(process.stdout.write(out))))
    }`
  const env = { ...process.env, TEST_PROGRAMS: join(root, 'reports/programs') }
  writeFileSync(join(root, 'start.mjs'), script)
  const output = execFileSync(process.execPath, [join(root, 'start.mjs')], { env, encoding: 'utf8' })
  const [bundle, source] = ['reports/programs/bundled.mjs', 'source.ts']
  assert.deepEqual(output.trim().split('\n'), [bundle, bundle, bundle, source, source, source])
})
