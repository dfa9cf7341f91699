// Real processes: a worker that is killed between claim and sink, or between sink and mark, and one that sleeps past its
// lease while another node does its work.
import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { settingsFor } from '#testing/ledger/crashes.ts'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import { effectsIn, movedClock, outboxOn, recordSteps } from '#testing/stepping-effects.ts'
import { openLedger } from '../../../ledger/ledger.ts'
import type { LedgerSettings } from '../../../ledger/protocol.ts'
import { openFileSink } from '../io/sink-file.ts'
import { drain } from './outbox.ts'

const WORKER = fileURLToPath(new URL('../../../../testing/draining-worker.ts', import.meta.url))
const LEASE = 300_000

function folder(t: TestContext, name: string): string {
  const path = freshFolder(name)
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Resolves when it waits at the place it was told. */
async function startWorker(settings: LedgerSettings, sink: string, place: string) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [WORKER, JSON.stringify(settings), sink, place])
  const lines = createInterface({ input: child.stdout })
  const said: string[] = []
  lines.on('line', (line) => said.push(line))
  child.stderr.pipe(process.stderr)
  const ended = once(child, 'close')
  await Promise.race([
    once(lines, 'line'),
    ended.then(([code]) => assert.fail(`the worker ended with ${code} before it was there`)),
  ])
  assert.deepEqual(said, [place])
  return { child, ended, said }
}

const filesIn = (sink: string): string[] =>
  readdirSync(sink, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'))

for (const [place, files] of [
  ['claimed', 0],
  ['delivered', 1],
] as const)
  test(`a worker killed when it has ${place} an effect leaves a counted attempt, and one artifact in the end`, async (t) => {
    const settings = settingsFor(folder(t, 'killed'))
    const sink = folder(t, 'sink')
    const first = await openLedger(settings)
    await recordSteps(first, { count: 1 })
    await first.close()
    const worker = await startWorker(settings, sink, place)
    worker.child.kill('SIGKILL')
    await worker.ended
    assert.equal(filesIn(sink).length, files)
    const ledger = await openLedger(settings)
    t.after(() => ledger.close())
    const [claimed = assert.fail()] = await effectsIn(ledger)
    assert.deepEqual([claimed.effect.state, claimed.effect.attempts], ['CLAIMED', 1])
    const clock = movedClock(claimed.effect.lease_until!)
    const outbox = outboxOn(ledger, clock, await openFileSink({ folder: sink, now: Date.now }))
    await drain(outbox, 'public', 10)
    clock.time += 5_000
    assert.equal((await drain(outbox, 'public', 10)).exported, 1)
    const [{ effect } = assert.fail()] = await effectsIn(ledger)
    assert.deepEqual([effect.state, effect.attempts], ['EXPORTED', 2])
    assert.deepEqual(filesIn(sink), [join(String(effect.effect_id).slice(0, 2), `${effect.effect_id}.json`)])
  })

test('a worker stopped past its lease is fenced out by the node that took over, and changes nothing', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const postgresUrl = await server.createDatabase('stopped_worker')
  const node = (name: string) => settingsFor(folder(t, name), { store: 'postgres', postgresUrl })
  const [here, there, sink] = [node('here'), node('there'), folder(t, 'sink')]
  const ledger = await openLedger(here)
  t.after(() => ledger.close())
  copyFileSync(join(here.data, 'log-key.pem'), join(there.data, 'log-key.pem'))
  await recordSteps(ledger, { count: 1 })
  const worker = await startWorker(there, sink, 'claimed')
  worker.child.kill('SIGSTOP')
  const clock = movedClock(Date.now() + LEASE + 1_000)
  const outbox = outboxOn(ledger, clock, await openFileSink({ folder: sink, now: Date.now }))
  await drain(outbox, 'public', 10)
  clock.time += 5_000
  assert.equal((await drain(outbox, 'public', 10)).exported, 1)
  const [before, files] = [await effectsIn(ledger), filesIn(sink)]
  worker.child.kill('SIGCONT')
  worker.child.stdin.write('go\n')
  await worker.ended
  const { attempted, exported, fenced_out } = JSON.parse(worker.said[1]!)
  assert.deepEqual([attempted, exported, fenced_out], [1, 0, 1])
  assert.deepEqual(await effectsIn(ledger), before)
  assert.deepEqual(filesIn(sink), files)
})
