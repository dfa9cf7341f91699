import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { sha256Hex } from '@orch/core'

import { settingsFor } from '#testing/ledger/crashes.ts'
import { postgresUnavailable, sharedPostgres } from '#testing/postgres.ts'

import { freshFolder } from '#testing/private-folder.ts'
import { openLedger } from './ledger.ts'
import type { LedgerSettings } from './protocol.ts'

const NODE = fileURLToPath(new URL('../../testing/contending-node.ts', import.meta.url))
const EACH = 100

function startNode(settings: LedgerSettings) {
  const child = spawn(process.execPath, [NODE, JSON.stringify(settings), String(EACH)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const ready = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'ready') ready.resolve()
    else lines.push(line)
  })
  const done = once(child, 'close').then(([code]) => {
    ready.reject(new Error(`the node ended with ${code}`))
    return lines
  })
  return { ready: ready.promise, go: () => child.stdin.write('go\n'), done }
}

/** Two nodes share the key of the log, as an operator sets them up. */
async function twoNodes(t: TestContext, postgresUrl: string): Promise<[LedgerSettings, LedgerSettings]> {
  const node = () => {
    const data = freshFolder('contending')
    t.after(() => rmSync(data, { recursive: true, force: true }))
    return settingsFor(data, { store: 'postgres', postgresUrl })
  }
  const [a, b] = [node(), node()]
  await (await openLedger(a)).close()
  copyFileSync(join(a.data, 'log-key.pem'), join(b.data, 'log-key.pem'))
  return [a, b]
}

test('two processes, 100 requests each at once for one document: all are recorded, each on what the last one left', async (t) => {
  const unavailable = postgresUnavailable()
  if (unavailable) return t.skip(unavailable)
  const server = await sharedPostgres()
  t.after(() => server.stop())
  const [a, b] = await twoNodes(t, await server.createDatabase('contended'))
  const nodes = [startNode(a), startNode(b)]
  await Promise.all(nodes.map(({ ready }) => ready))
  for (const { go } of nodes) go()
  const lines = (await Promise.all(nodes.map(({ done }) => done))).flat()
  t.diagnostic(lines.filter((line) => line.startsWith('tries')).join(', '))
  assert.deepEqual(
    lines.filter((line) => line.startsWith('refused')),
    [],
  )
  const recorded = lines.filter((line) => line.startsWith('recorded')).map((line) => line.split(' ').map(Number))
  const dense = Array.from({ length: 2 * EACH }, (_, n) => n)
  assert.deepEqual(
    recorded.map(([, count]) => count! - 1).sort((x, y) => x - y),
    dense,
  )
  for (const [, count, nodeIndex] of recorded) assert.equal(count! - 1, nodeIndex)
  const ledger = await openLedger(a)
  const [space, key] = ['test.contested', sha256Hex('contested')]
  const row = await ledger.reader.document(space, key)
  assert.deepEqual([row?.version, row?.value, row?.nodeIndex], [200, '200', 199])
  assert.equal(await ledger.reader.counter(space, key), 200)
  await ledger.close()
})
