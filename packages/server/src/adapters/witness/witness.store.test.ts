// A witness over real HTTP and on a real disk, and what the service makes of one that lies.
import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  appendLeaf,
  consistencyProof,
  emptyFrontier,
  formatAddCheckpoint,
  formatCheckpoint,
  formatVkey,
  frontierRoot,
  isCosigned,
  leafHash,
  MAX_WITNESS_REQUEST_BYTES,
  noteKeyHash,
  rootOf,
  sha256Hex,
  signNote,
  utf8Encode,
} from '@orch/core'
import { settingsFor } from '#testing/ledger/crashes.ts'
import { freshFolder } from '#testing/private-folder.ts'
import { startWitness, type WitnessProcess } from '#testing/witness.ts'
import { openLedger } from '../../ledger/ledger.ts'
import { namedGuard } from '../guard/guard.ts'

function folder(t: TestContext): string {
  const made = freshFolder('witness')
  t.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const leaves = (count: number, salt = '') =>
  Array.from({ length: count }, (_, n) => leafHash(utf8Encode(`${salt}${n}`)))

/** A log of the test's own. */
function makeLog(origin = 'log.test', keys = generateKeyPairSync('ed25519')) {
  const { privateKey, publicKey } = keys
  const raw = new Uint8Array(Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url'))
  const signer = {
    name: origin,
    keyHash: noteKeyHash(origin, raw),
    sign: (text: Uint8Array) => new Uint8Array(sign(null, text, privateKey)),
  }
  const note = (size: number, salt = '') =>
    signNote(formatCheckpoint({ origin, size, root: rootOf(leaves(size, salt)) }), signer)
  return { origin, vkey: formatVkey(origin, raw), note }
}

const readNodes = (hashes: readonly Uint8Array[]) => (nodes: readonly { level: number; index: number }[]) =>
  nodes.map(({ level, index }) => rootOf(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level)))

const proofOf = (from: number, to: number) => consistencyProof(from, to, readNodes(leaves(to)))

async function add(witness: WitnessProcess, body: string, vkey?: string) {
  const headers: Record<string, string> = vkey === undefined ? {} : { 'x-orch-log-key': encodeURIComponent(vkey) }
  const reply = await fetch(`${witness.url}/add-checkpoint`, { method: 'POST', headers, body })
  return { status: reply.status, text: await reply.text(), type: reply.headers.get('content-type') }
}

test('a witness moves on by proofs alone, says what it knows with 409, and forgets nothing when it is killed', async (t) => {
  const data = folder(t)
  const log = makeLog()
  let witness = await startWitness(data)
  t.after(() => witness.kill9())
  const first = await log.note(3)
  const request = (old: number, proof: Uint8Array[], checkpoint: string) =>
    formatAddCheckpoint({ old, proof, checkpoint })
  assert.equal((await add(witness, request(0, [], first))).status, 404, 'no key, no log')
  const taken = await add(witness, request(0, [], first), log.vkey)
  assert.equal(taken.status, 200)
  assert.equal(await isCosigned(first + taken.text, witness.vkey), true)
  await witness.kill9()
  witness = await startWitness(data, witness.port)
  const next = await log.note(8)
  assert.deepEqual(await add(witness, request(0, [], next)), { status: 409, text: '3\n', type: 'text/x.tlog.size' })
  assert.equal((await add(witness, request(3, [], next))).status, 422, 'no proof')
  assert.equal(
    (await add(witness, request(3, await proofOf(3, 8), await log.note(8, 'other ')))).status,
    422,
    'another tree',
  )
  assert.equal(
    (await add(witness, request(3, [], await log.note(3, 'other ')))).status,
    409,
    'another root of that size',
  )
  assert.equal((await add(witness, request(9, [], next))).status, 400, 'an old size beyond the checkpoint')
  assert.equal((await add(witness, request(3, await proofOf(3, 8), await makeLog().note(8)))).status, 403, 'a stranger')
  assert.equal((await add(witness, request(3, await proofOf(3, 8), next))).status, 200)
  assert.equal((await add(witness, request(8, [], next))).status, 200, 'the same again')
  assert.deepEqual(await add(witness, request(3, await proofOf(3, 3), first)), {
    ...{ status: 409, text: '8\n', type: 'text/x.tlog.size' },
  })
  const newest = await (await fetch(`${witness.url}/checkpoint/${sha256Hex(utf8Encode(log.origin))}`)).text()
  assert.ok(newest.startsWith(next))
  assert.equal(await isCosigned(newest, witness.vkey), true)
})

test('of many at once that go on from one size, one is taken', async (t) => {
  const witness = await startWitness(folder(t))
  t.after(() => witness.kill9())
  const log = makeLog()
  await add(witness, formatAddCheckpoint({ old: 0, proof: [], checkpoint: await log.note(3) }), log.vkey)
  const sizes = [4, 5, 6, 7, 8, 9, 10, 11]
  const replies = await Promise.all(
    sizes.map(async (size) =>
      add(witness, formatAddCheckpoint({ old: 3, proof: await proofOf(3, size), checkpoint: await log.note(size) })),
    ),
  )
  assert.deepEqual(replies.map(({ status }) => status).sort(), [200, ...Array(sizes.length - 1).fill(409)])
})

test('a witness with named logs keeps no other, and what nobody should send ends in a 4xx', async (t) => {
  const [log, other] = [makeLog(), makeLog('other.test')]
  const witness = await startWitness(folder(t), '0', ['--log', log.vkey])
  t.after(() => witness.kill9())
  const body = async (of: typeof log) => formatAddCheckpoint({ old: 0, proof: [], checkpoint: await of.note(1) })
  assert.equal((await add(witness, await body(other), other.vkey)).status, 404)
  assert.equal((await add(witness, await body(log))).status, 200)
  assert.equal((await add(witness, 'garbage')).status, 400)
  assert.equal((await add(witness, 'x'.repeat(MAX_WITNESS_REQUEST_BYTES))).status, 400)
  assert.equal((await add(witness, 'x'.repeat(MAX_WITNESS_REQUEST_BYTES + 1))).status, 413)
  assert.equal((await fetch(`${witness.url}/checkpoint/nonsense`)).status, 404)
  assert.equal((await fetch(`${witness.url}/add-checkpoint`, { method: 'DELETE' })).status, 405)
})

for (const how of ['first seen', 'pinned'])
  test(`${how}: the name a log goes on under after a restore is given to its own key and to no other`, async (t) => {
    const keys = generateKeyPairSync('ed25519')
    const [log, restored] = [makeLog('log.test', keys), makeLog('log.test/restored-1', keys)]
    const stranger = makeLog('log.test/restored-1')
    const witness = await startWitness(folder(t), '0', how === 'pinned' ? ['--log', log.vkey] : [])
    t.after(() => witness.kill9())
    const body = async (of: typeof log) => formatAddCheckpoint({ old: 0, proof: [], checkpoint: await of.note(1) })
    assert.equal((await add(witness, await body(log), log.vkey)).status, 200)
    assert.equal((await add(witness, await body(stranger), stranger.vkey)).status, 403)
    assert.equal((await add(witness, await body(restored), restored.vkey)).status, 200)
    assert.equal((await add(witness, await body(stranger), stranger.vkey)).status, 403)
  })

test('a log that comes to a new witness after its restore keeps its first name from others as well', async (t) => {
  const witness = await startWitness(folder(t))
  t.after(() => witness.kill9())
  const [restored, stranger] = [makeLog('log.test/restored-1'), makeLog('log.test')]
  const body = async (of: typeof restored) => formatAddCheckpoint({ old: 0, proof: [], checkpoint: await of.note(1) })
  assert.equal((await add(witness, await body(restored), restored.vkey)).status, 200)
  assert.equal((await add(witness, await body(stranger), stranger.vkey)).status, 403)
})

test('a generation that a stranger registered at a witness is not taken for the newest of our log', async (t) => {
  const keys = generateKeyPairSync('ed25519')
  const [log, restored] = [makeLog('log.test', keys), makeLog('log.test/restored-1', keys)]
  const notes = new Map<string, string>()
  const keep = (origin: string, note: string) => notes.set(`/checkpoint/${sha256Hex(utf8Encode(origin))}`, note)
  const server = createServer(({ url }, reply) => {
    const note = notes.get(url!)
    reply.writeHead(note === undefined ? 404 : 200).end(note)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const guard = namedGuard({ at, key: null }, log.vkey)
  const ours = await log.note(3)
  keep(log.origin, ours)
  keep(restored.origin, await makeLog(restored.origin).note(9))
  assert.equal(await guard.newest(log.origin), ours)
  const later = await restored.note(4)
  keep(restored.origin, later)
  assert.equal(await guard.newest(log.origin), later)
})

test('a witness whose memory was damaged does not start, and two do not share a folder', async (t) => {
  const data = folder(t)
  const log = makeLog()
  const witness = await startWitness(data)
  await add(witness, formatAddCheckpoint({ old: 0, proof: [], checkpoint: await log.note(3) }), log.vkey)
  await assert.rejects(startWitness(data), /another orch process uses this data folder/)
  await witness.kill9()
  const file = readdirSync(data).find((name) => name.endsWith('.json'))!
  writeFileSync(join(data, file), '{}')
  await assert.rejects(startWitness(data), /is damaged; restore it/)
})

/** A witness that answers as it is told. */
async function lyingWitness(t: TestContext, answer: (path: string) => { status: number; text: string }) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, text } = answer(request.url!)
      response.writeHead(status).end(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const draft = {
  ...{ ns: 'public', chain: 'lies', kind: 'mint' as const, ts_utc: '2026-01-01T00:00:00.000Z', request_id: 'r' },
  ...{ actor: { owner: 'local', key_id: null, auth_mode: 'open' }, policy: null, payload: {} },
}

test('a witness that says yes without its cosignature, or answers nonsense, guards nothing: nothing is recorded', async (t) => {
  const honest = await startWitness(folder(t))
  t.after(() => honest.kill9())
  const lies: ((path: string) => { status: number; text: string })[] = [
    (path) => (path === '/add-checkpoint' ? { status: 200, text: '' } : { status: 404, text: '' }),
    (path) => (path === '/add-checkpoint' ? { status: 200, text: '\u2014 w AAAAAAAA\n' } : { status: 404, text: '' }),
    () => ({ status: 200, text: 'not a note' }),
    () => ({ status: 500, text: '' }),
    () => ({ status: 404, text: '' }),
    () => ({ status: 200, text: 'x'.repeat(100_000) }),
  ]
  for (const lie of lies) {
    const guard = { at: await lyingWitness(t, lie), key: honest.vkey, graceMs: 60_000 }
    const ledger = await openLedger(settingsFor(folder(t), { guard }))
    assert.equal(ledger.state().guard.blocking, true)
    await assert.rejects(ledger.append(draft), { code: 'guard_unavailable' })
    await ledger.close()
  }
})

test('a tree built leaf by leaf and the notes of this test agree', () => {
  const frontier = leaves(5).reduce((tree, leaf) => appendLeaf(tree, leaf), emptyFrontier())
  assert.deepEqual(frontierRoot(frontier), rootOf(leaves(5)))
})
