import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const MODULE = new URL('./last-resort.ts', import.meta.url).href

/** A process that guards itself as the service does, then does this. */
async function guarded(statement: string): Promise<{ code: number; out: string; err: string }> {
  const program = `import { onUnforeseen } from '${MODULE}'
    onUnforeseen('main', { unhandledRejection: () => undefined, uncaughtException: () => process.exit(1) })
    ${statement}
    setTimeout(() => process.stdout.write('still here'), 50)`
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  const { stdout: out, stderr: err, code = 0 } = await run.catch((failed) => failed)
  return { code, out, err }
}

const lineOf = (err: string) => {
  const { level, msg, thread, err: stack } = JSON.parse(err.split('\n').find((line) => line.startsWith('{'))!)
  return { level, msg, thread, named: stack.includes('planted') }
}

test('a rejection that nobody waited for is told in one line and ends nothing', async () => {
  const { code, out, err } = await guarded("Promise.reject(new Error('planted'))")
  assert.deepEqual([code, out], [0, 'still here'])
  assert.deepEqual(lineOf(err), { level: 'error', msg: 'unhandledRejection', thread: 'main', named: true })
})

test('an exception that nobody caught is told in one line and ends the process', async () => {
  const { code, out, err } = await guarded("setImmediate(() => { throw new Error('planted') })")
  assert.deepEqual([code, out], [1, ''])
  assert.deepEqual(lineOf(err), { level: 'fatal', msg: 'uncaughtException', thread: 'main', named: true })
})
