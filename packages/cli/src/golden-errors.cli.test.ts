import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import { startService } from '@orch/server/testing/service.ts'
import { askHttp, lackingParts, readGolden, runCli, startBoth } from './testing/golden-errors.ts'

const golden = readGolden()
const home = freshFolder('golden-errors')
let services: Awaited<ReturnType<typeof startBoth>>
let places: Parameters<typeof askHttp>[1]

before(async () => {
  services = await startBoth(home, startService)
  places = { open: services.open.url, closed: services.closed.url, home }
})
after(async () => {
  await services?.close()
  rmSync(home, { recursive: true, force: true })
})

test('the golden file has a hundred errors or more, each of them once', () => {
  const asked = [...golden.http, ...golden.cli].map(({ answer: _, ...one }) => JSON.stringify(one))
  assert.ok(asked.length >= 100, String(asked.length))
  assert.equal(new Set(asked).size, asked.length)
  assert.ok(golden.cli.length >= 30)
})

test('every mistaken or hostile request is answered with a place, a cause and help', async () => {
  for (const one of golden.http) {
    const what = `${one.request ?? one.raw} ${JSON.stringify(one.body ?? '').slice(0, 60)}`
    const answer = await askHttp(one, places)
    assert.ok(answer.status >= 400 && answer.status < 500, what)
    assert.deepEqual(answer, one.answer, what)
    assert.deepEqual(lackingParts(answer.message, answer.place), [], `${what}: ${answer.message}`)
  }
})

test('a path or a body is named as a whole only where no part of it is at fault', () => {
  const whole = {
    path: /^(?:no operation has this path|the path is not valid percent-encoded|a path segment is longer)/,
    body: /must be (?:an|a JSON) object|needs a JSON body|larger than this operation reads|has nothing to verify/,
  }
  for (const { answer } of golden.http)
    if (answer.place === 'path' || answer.place === 'body') assert.match(answer.message, whole[answer.place])
})

/** Processes at a time. */
const ABREAST = 4

test('every mistaken command line ends with a place, a cause and help, and prints no data', async () => {
  const waiting = [...golden.cli.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [number, one] = next
      const what = one.command.join(' ')
      const { exit, message, stdout } = await runCli(one, places, number)
      assert.deepEqual({ exit, message }, one.answer, what)
      assert.equal(stdout, '', what)
      assert.notEqual(exit, 0, what)
      assert.deepEqual(lackingParts(message, 'cli'), [], `${what}: ${message}`)
    }
  }
  await Promise.all(Array.from({ length: ABREAST }, work))
})
