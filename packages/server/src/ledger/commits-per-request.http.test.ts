// What a request waits for on the disk and on the network, counted and not timed.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'
import { post } from '#testing/raw-http.ts'
import { say, startStubUpstream } from '#testing/stub-upstream.ts'
import type { Appended } from './contract.ts'

const stub = await startStubUpstream({ after })
const service = await startApp(
  { after },
  { ORCH_STORE: 'memory', ORCH_UPSTREAM_URL: stub.url, ORCH_UPSTREAM_MODEL: 'stub-model' },
)
const { ledger } = service.app.ports

const [append, writeDocuments] = [ledger.append.bind(ledger), ledger.writeDocuments.bind(ledger)]
const appended: { kind: string; documents: string[]; receipt: Appended }[] = []
let otherWrites = 0
ledger.append = async (draft, options) => {
  const receipt = await append(draft, options)
  const documents = (options?.documents ?? []).map(({ space }) => space)
  appended.push({ kind: draft.kind, documents, receipt })
  return receipt
}
ledger.writeDocuments = (documents, counters) => {
  // Effects leave by themselves, after the step that set them off.
  if (!documents.every(({ space }) => space.startsWith('gdw.effect/'))) otherWrites += 1
  return writeDocuments(documents, counters)
}

/** What is recorded until the request is answered. */
async function recordedBy(path: string, body: object) {
  appended.length = 0
  otherWrites = 0
  const { status, text } = await post(`${service.url}${path}`, JSON.stringify(body))
  assert.equal(status, 200, text)
  return { recorded: [...appended], otherWrites }
}

test('a step writes one receipt and its documents in one commit', async () => {
  const step = (request: string) => recordedBy('/api/orch/v1/gdw/step', { session_id: 'counted', request })
  await step('read the audit log of yesterday')
  const { recorded, otherWrites } = await step('summarise the quarterly report')
  assert.deepEqual(
    recorded.map(({ kind, documents }) => [kind, documents]),
    [['step', ['gdw.session', 'gdw.state', 'gdw.effect/public', 'gdw.effect/public']]],
  )
  assert.equal(otherWrites, 0)
  for (const { nodeIndex } of recorded.map(({ receipt }) => receipt))
    for (const space of ['gdw.session', 'gdw.state'])
      assert.ok(
        (await ledger.reader.documents({ space, order: 'desc', limit: 9 })).some((row) => row.nodeIndex === nodeIndex),
      )
})

test('a proxied chat waits for two commits and no more, over a connection that is kept', async () => {
  const ports = new Set<number | undefined>()
  stub.answer((asked, response) => {
    ports.add(response.socket?.remotePort)
    return say('Paris.')(asked, response)
  })
  for (const question of ['What is the capital of France?', 'And where does the Seine flow?', 'Is it far?']) {
    const body = { model: 'stub-model', messages: [{ role: 'user', content: question }] }
    const { recorded, otherWrites } = await recordedBy('/v1/chat/completions', body)
    assert.deepEqual([recorded.map(({ kind }) => kind), otherWrites], [['decision', 'inference'], 0])
  }
  assert.equal(ports.size, 1)
})
