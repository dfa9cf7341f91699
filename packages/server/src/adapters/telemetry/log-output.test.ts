import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { closeSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freshFolder } from '#testing/private-folder.ts'
import { LogOutput } from './log-output.ts'

function output(t: TestContext) {
  const folder = freshFolder('log')
  const file = join(folder, 'log.txt')
  const fd = openSync(file, 'w')
  t.after(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  /** Of this file alone: the runner writes too. */
  const mockWrite = (own: Write) => {
    const byFile = (...given: Parameters<Write>) => (given[0] === fd ? own : write)(...given)
    t.mock.method(fs, 'write', byFile)
  }
  return { log: new LogOutput(fd), lines: () => readFileSync(file, 'utf8').split('\n').slice(0, -1), mockWrite }
}

type Write = (fd: number, bytes: Buffer, done: (error: unknown, count: number) => void) => void
const write = fs.write as Write

test('lines are written whole and in order', async (t) => {
  const { log, lines } = output(t)
  const sent = Array.from({ length: 1_000 }, (_, at) => `line ${at}`)
  for (const line of sent) log.write(`${line}\n`)
  while (lines().length < sent.length) await nextTurn()
  assert.deepEqual(lines(), sent)
})

test('a write that takes a part of the lines goes on with the rest', async (t) => {
  const { log, lines, mockWrite } = output(t)
  mockWrite((fd, bytes, done) => write(fd, bytes.subarray(0, 3), done))
  log.write('a longer line\nand another\n')
  while (lines().length < 2) await nextTurn()
  assert.deepEqual(lines(), ['a longer line', 'and another'])
})

test('a pipe that takes nothing now is tried again', async (t) => {
  const { log, lines, mockWrite } = output(t)
  let tries = 0
  mockWrite((fd, bytes, done) => (tries++ === 0 ? done({ code: 'EAGAIN' }, 0) : write(fd, bytes, done)))
  log.write('kept\n')
  while (lines().length < 1) await nextTurn()
  assert.deepEqual([lines(), tries], [['kept'], 2])
})

test('lines that no disk takes are dropped, and how many is said when one does', async (t) => {
  const { log, lines, mockWrite } = output(t)
  let isFull = true
  mockWrite((fd, bytes, done) => (isFull ? void setImmediate(done, { code: 'ENOSPC' }, 0) : write(fd, bytes, done)))
  log.write('lost\n')
  log.write('lost\nlost\n')
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  isFull = false
  log.write('kept\n')
  while (lines().length < 2) await nextTurn()
  const [line, notice] = lines()
  assert.deepEqual([line, JSON.parse(notice!).msg, JSON.parse(notice!).lines], ['kept', 'log lines were dropped', 3])
})

test('a line that was cut off by a full disk is counted, and the next one does not go on in it', async (t) => {
  const { log, lines, mockWrite } = output(t)
  let writes = 0
  mockWrite((fd, bytes, done) => {
    writes += 1
    if (writes === 1) write(fd, bytes.subarray(0, 9), done)
    else if (writes <= 3) setImmediate(done, { code: 'ENOSPC' }, 0)
    else write(fd, bytes, done)
  })
  log.write('whole\ncut off\n')
  while (writes < 2) await nextTurn()
  log.write('lost\n')
  while (writes < 3) await nextTurn()
  for (let turn = 0; turn < 10; turn += 1) await nextTurn()
  log.write('next\n')
  while (lines().length < 4) await nextTurn()
  assert.deepEqual(lines().slice(0, 3), ['whole', 'cut', 'next'])
  assert.equal(JSON.parse(lines()[3]!).lines, 2)
})

test('of lines that nobody takes no more than a mebibyte waits', async (t) => {
  const { log, lines, mockWrite } = output(t)
  const pending: (() => void)[] = []
  mockWrite((...given) => void pending.push(() => write(...given)))
  log.write('first\n')
  for (let at = 0; at < 1_025; at += 1) log.write(`${'x'.repeat(1_023)}\n`)
  t.mock.restoreAll()
  pending[0]!()
  while (lines().length < 1_026) await nextTurn()
  assert.deepEqual(JSON.parse(lines()[1]!).lines, 1)
})

const LOG = JSON.stringify(new URL('./log.ts', import.meta.url).href)
const PROGRAM = `
  import { createLog } from ${LOG}
  const log = createLog({ format: 'json', level: 'info' })
  for (let at = 0; at < 100; at += 1) log.info('nobody reads this')
  setTimeout(() => { log.info('the last'); console.log('alive'); process.exit(0) }, 20)
`

/** What a process that logs to this file says and returns at its end. */
async function run(t: TestContext, file: string) {
  const fd = openSync(file, 'w')
  t.after(() => closeSync(fd))
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', PROGRAM]
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', fd] })
  t.after(() => child.kill('SIGKILL'))
  const said = child.stdout!.toArray()
  const [code] = await once(child, 'exit')
  return [code, String(Buffer.concat(await said))]
}

test('a process whose log lies on a full disk goes on, and ends', async (t) => {
  assert.deepEqual(await run(t, '/dev/full'), [0, 'alive\n'])
})

test('a process that ends has written what it logged', async (t) => {
  const folder = freshFolder('log')
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log.txt')
  assert.deepEqual(await run(t, file), [0, 'alive\n'])
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  assert.deepEqual([lines.length, JSON.parse(lines.at(-1)!).msg], [101, 'the last'])
})
