// The append path over every store, with signers and stores that fail where it hurts.

import assert from 'node:assert/strict'
import {
  frontierRoot,
  GENESIS_PREV,
  lakeHash,
  leafHash,
  organOf,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  rootOf,
  sha256Hex,
  TILE_WIDTH,
  verifyInclusion,
} from '@orch/core'
import fc from 'fast-check'
import {
  appendAll,
  appendTogether,
  assertAppended,
  breakable,
  codeOf,
  fakeSignature,
  keyed,
  secondNode,
  sequencerOn,
  signer,
  switchedSigner,
} from '#testing/ledger-sequencers.ts'
import { entryOf, KEYID, type OpenLedger, RING_KEY, storeSuite } from '#testing/ledger-stores.ts'
import type { Appended, LedgerReader } from './contract.ts'
import type { Outcome } from './outcome.ts'
import { MAX_BATCH, type Sequencer } from './sequencer.ts'
import type { BatchSigner } from './sequencer-deps.ts'
import { OutcomeUnknown } from './store/store.ts'
import type { Entry } from './types.ts'

const SEED = 11
const everyStore = storeSuite((ledger) => ledger.store.putKey(RING_KEY))
const onShared = (sentence: string, check: (ledger: OpenLedger) => Promise<void>) =>
  everyStore(sentence, check, ({ shared }) => shared)

const entriesOf = (count: number, chains = 5): Entry[] =>
  Array.from({ length: count }, (_, n) => entryOf(`chain-${n % chains}`, n))

/** Everything a verifier without the store's word would check: order, links, both hashes, signatures, tree. */
async function assertWhole(reader: LedgerReader, size: number, signed = true): Promise<void> {
  const rows = await reader.range(0, size + 1)
  assert.equal(rows.length, size)
  const chains = new Map<string, { seq: number; digest: string; lake: string }>()
  for (const [at, row] of rows.entries()) {
    const organ = organOf(row.ns, row.chain)
    const before = chains.get(organ) ?? { seq: -1, digest: GENESIS_PREV, lake: GENESIS_PREV }
    const body = JSON.parse(Buffer.from(row.body).toString()) as { seq: number; prev: string; ts_utc: string }
    assert.equal(row.nodeIndex, at)
    assert.equal(row.seq, before.seq + 1)
    assert.equal(row.prev, before.digest)
    assert.deepEqual([body.seq, body.prev], [row.seq, row.prev])
    assert.equal(row.digest, sha256Hex(row.body))
    const link = { organ, chain_index: row.seq + 1, prev_hash: before.lake, receipt_digest: row.digest }
    assert.equal(row.lake, lakeHash({ ...link, ts_utc: body.ts_utc }))
    if (signed) assert.deepEqual(row.signature, fakeSignature(pae(RECEIPT_PAYLOAD_TYPE, row.body)))
    chains.set(organ, row)
  }
  for (const { ns, chain, depth, head, lake } of await reader.chains()) {
    const { seq, ...last } = chains.get(organOf(ns, chain))!
    assert.deepEqual([depth, head, lake], [seq + 1, last.digest, last.lake])
  }
  const { frontier } = await reader.head()
  const leaves = rows.map(({ body }) => leafHash(body))
  assert.deepEqual(frontierRoot({ size, hashes: frontier }), rootOf(leaves))
  for (let index = 0; index * TILE_WIDTH < size; index += 1) {
    const row = Buffer.concat(leaves.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH))
    assert.ok(row.equals((await reader.tile(0, index))!), `tile 0/${index}`)
  }
}

everyStore(
  'a thousand appends at once come out dense, linked, signed and in batches of at most 256',
  async (ledger) => {
    const batches: number[] = []
    const sequencer = await sequencerOn(ledger.store, { onCommit: (_head, appended) => batches.push(appended.length) })
    const appended = (await appendAll(sequencer, entriesOf(1000))).map(assertAppended)
    await assertWhole(ledger.reader, 1000)
    assert.equal(
      batches.reduce((a, b) => a + b),
      1000,
    )
    assert.ok(Math.max(...batches) === MAX_BATCH, `largest batch ${Math.max(...batches)}`)
    for (const [at, { nodeIndex, body, digest, keyid, treeSize }] of appended.entries()) {
      assert.equal(nodeIndex, at)
      assert.equal(sha256Hex(body), digest)
      assert.equal(keyid, KEYID)
      assert.ok(treeSize > nodeIndex)
    }
  },
)

everyStore('a batch that is signed on this thread is begun when the one before it is stored', async (ledger) => {
  const order: string[] = []
  const here: BatchSigner = {
    ...signer,
    sign: (messages) => {
      order.push('signed')
      return signer.sign(messages)
    },
    signsHere: () => true,
  }
  const sequencer = await sequencerOn(ledger.store, { signer: here, onCommit: () => order.push('stored') })
  await appendAll(sequencer, entriesOf(600))
  assert.ok(order.length >= 6, `${order}`)
  assert.deepEqual(
    order,
    order.map((_, at) => (at % 2 === 0 ? 'signed' : 'stored')),
  )
})

everyStore('any interleaving of chains, namespaces, pauses and restarts leaves one dense ledger', async (ledger) => {
  const step = fc.record({ chain: fc.nat({ max: 3 }), ns: fc.nat({ max: 1 }), burst: fc.integer({ min: 1, max: 40 }) })
  const runs = fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 6 }), wait: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  })
  let n = 0
  await fc.assert(
    fc.asyncProperty(runs, async (plan) => {
      const sequencer = await sequencerOn(ledger.store)
      const waiting: Promise<Outcome>[] = []
      for (const { steps, wait } of plan) {
        for (const { chain, ns, burst } of steps)
          for (let i = 0; i < burst; i += 1)
            waiting.push(sequencer.append(entryOf(`c${chain}`, n++, { ns: ns === 0 ? 'public' : 'other' })))
        if (wait) await waiting.at(-1)
      }
      for (const outcome of await Promise.all(waiting)) assertAppended(outcome)
      await sequencer.drain()
    }),
    { seed: SEED, numRuns: 12 },
  )
  await assertWhole(ledger.reader, n)
})

everyStore('500 appends at once under one idempotency key are one receipt and 499 replays', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const same = Array.from({ length: 500 }, (_, n) => entryOf('a', n, { idempotency: keyed(1) }))
  const appended = (await appendAll(sequencer, same)).map(assertAppended)
  const replays = appended.filter(({ replayed }) => replayed !== null)
  assert.equal(replays.length, 499)
  const [original] = appended.filter(({ replayed }) => replayed === null)
  for (const { replayed, nodeIndex, treeSize } of replays) {
    assert.equal(replayed, 'answer 1')
    assert.deepEqual([nodeIndex, treeSize], [original!.nodeIndex, original!.treeSize])
  }
  await assertWhole(ledger.reader, 1)
})

everyStore('keys mixed into other traffic are each kept once, also by a sequencer started later', async (ledger) => {
  const mixed = Array.from({ length: 600 }, (_, n) =>
    entryOf(`c${n % 3}`, n, n % 2 ? {} : { idempotency: keyed(n % 40) }),
  )
  for (const outcome of await appendAll(await sequencerOn(ledger.store), mixed)) assertAppended(outcome)
  await assertWhole(ledger.reader, 300 + 20)
  const again = assertAppended(
    await (await sequencerOn(ledger.store)).append(entryOf('c1', 1000, { idempotency: keyed(4) })),
  )
  assert.equal(again.replayed, 'answer 4')
})

everyStore('one key with another request is a conflict, at once and later, and records nothing', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const outcomes = await appendAll(sequencer, [
    entryOf('a', 0, { idempotency: keyed(1, 1) }),
    entryOf('a', 1, { idempotency: keyed(1, 2) }),
  ])
  assert.deepEqual(outcomes.map(codeOf), ['ok', 'idempotency_conflict'])
  const later = await sequencer.append(entryOf('b', 2, { idempotency: keyed(1, 3) }))
  assert.equal(codeOf(later), 'idempotency_conflict')
  await assertWhole(ledger.reader, 1)
})

everyStore('a signer that does not answer means nothing recorded, and the chain stays dense after', async (ledger) => {
  const own = switchedSigner()
  const sequencer = await sequencerOn(ledger.store, { signer: own })
  for (const outcome of await appendAll(sequencer, entriesOf(10))) assertAppended(outcome)
  own.fails = true
  const failed = await appendAll(sequencer, [
    ...entriesOf(300, 9),
    entryOf('new', 1, { idempotency: keyed(1) }),
    entryOf('new', 2, { idempotency: keyed(1) }),
  ])
  assert.deepEqual(new Set(failed.map(codeOf)), new Set(['signer_unavailable']))
  await assertWhole(ledger.reader, 10)
  own.fails = false
  const retried = assertAppended(await sequencer.append(entryOf('new', 1, { idempotency: keyed(1) })))
  assert.deepEqual([retried.nodeIndex, retried.seq, retried.replayed], [10, 0, null])
  for (const outcome of await appendAll(sequencer, entriesOf(300))) assertAppended(outcome)
  await assertWhole(ledger.reader, 311)
})

everyStore('a signer that fails now and then loses only what it did not sign', async (ledger) => {
  const own = switchedSigner()
  const sequencer = await sequencerOn(ledger.store, { signer: own })
  const sign = own.sign
  let calls = 0
  own.sign = (messages) => (++calls % 3 === 0 ? Promise.reject(new Error('busy')) : sign(messages))
  const outcomes: Outcome[] = []
  for (let iteration = 0; iteration < 9; iteration += 1)
    outcomes.push(...(await appendAll(sequencer, entriesOf(300, 4))))
  const recorded = outcomes.filter(({ ok }) => ok).length
  assert.ok(recorded > 0 && recorded < outcomes.length, `${recorded} of ${outcomes.length}`)
  await assertWhole(ledger.reader, recorded)
})

/** Every one of them with a proof that leads to the root it names. */
function assertProven(outcomes: readonly Outcome[]): void {
  for (const { body, nodeIndex, treeSize, inclusion } of outcomes.map(assertAppended)) {
    const { root, hashes } = inclusion!
    const path = (hashes.match(/.{64}/g) ?? []).map((hash) => Buffer.from(hash, 'hex'))
    const claim = {
      leafHash: leafHash(body),
      leafIndex: nodeIndex,
      treeSize,
      root: Buffer.from(root, 'hex'),
      hashes: path,
    }
    assert.ok(verifyInclusion(claim), `receipt ${nodeIndex} of ${treeSize}`)
  }
}

const provenEntries = (count: number, from: number): Entry[] =>
  Array.from({ length: count }, (_, n) => entryOf('a', from + n, { prove: true }))

everyStore('places of a batch that was not signed prove what fills them later', async (ledger) => {
  const own = switchedSigner()
  const sequencer = await sequencerOn(ledger.store, { signer: own })
  assertProven(await appendTogether(sequencer, provenEntries(5, 0)))
  own.fails = true
  const failed = await appendTogether(sequencer, provenEntries(20, 100))
  assert.deepEqual(new Set(failed.map(codeOf)), new Set(['signer_unavailable']))
  own.fails = false
  assertProven(await appendTogether(sequencer, provenEntries(20, 200)))
  assertProven(await appendTogether(sequencer, provenEntries(3, 300)))
  await assertWhole(ledger.reader, 28)
})

onShared('places of a batch that was rolled back prove what fills them later', async ({ store, reader }) => {
  const own = breakable(store)
  const sequencer = await sequencerOn(own)
  assertProven(await appendTogether(sequencer, provenEntries(5, 0)))
  for (const step of ['write', 'commit']) {
    own.broken = step
    const failed = await appendTogether(sequencer, provenEntries(20, 100))
    assert.deepEqual(new Set(failed.map(codeOf)), new Set(['store_unavailable']))
    own.broken = null
    assertProven(await appendTogether(sequencer, provenEntries(20, 200)))
  }
  await assertWhole(reader, 45)
})

onShared('places of a refused batch that another node filled are proven as it filled them', async (ledger) => {
  await secondNode(ledger, async (second) => {
    const own = switchedSigner()
    const [first, other] = [await sequencerOn(ledger.store, { signer: own }), await sequencerOn(second)]
    own.fails = true
    const failed = await appendTogether(first, provenEntries(20, 100))
    assert.deepEqual(new Set(failed.map(codeOf)), new Set(['signer_unavailable']))
    own.fails = false
    assertProven(await appendTogether(other, provenEntries(13, 200)))
    assertProven(await appendTogether(first, provenEntries(7, 300)))
    assertProven(await appendTogether(other, provenEntries(7, 400)))
    await assertWhole(ledger.reader, 27)
  })
})

everyStore('a signer that leaves out a signature has failed', async (ledger) => {
  const forgetful: BatchSigner = { ...signer, sign: async (messages) => messages.slice(1).map(fakeSignature) }
  const sequencer = await sequencerOn(ledger.store, { signer: forgetful })
  assert.equal(codeOf(await sequencer.append(entryOf('a', 1))), 'signer_unavailable')
  await assertWhole(ledger.reader, 0)
})

everyStore('where unsigned receipts are allowed, a silent signer leaves null signatures and no key', async (ledger) => {
  const own = switchedSigner()
  own.fails = true
  const sequencer = await sequencerOn(ledger.store, { signer: own, allowUnsigned: true })
  const appended = (await appendAll(sequencer, entriesOf(20))).map(assertAppended)
  for (const { signature, keyid, keyKind } of appended)
    assert.deepEqual([signature, keyid, keyKind], [null, null, null])
  own.fails = false
  assert.notEqual(assertAppended(await sequencer.append(entryOf('a', 99))).signature, null)
  const rows = await ledger.reader.range(0, 100)
  assert.deepEqual(rows.map(({ keyid }) => keyid).slice(19), [null, KEYID])
  await assertWhole(ledger.reader, 21, false)
})

everyStore('without a key receipts are stored unsigned', async (ledger) => {
  const none: BatchSigner = { key: () => null, sign: async (messages) => messages.map(() => null) }
  const sequencer = await sequencerOn(ledger.store, { signer: none })
  assert.equal(assertAppended(await sequencer.append(entryOf('a', 1))).signature, null)
  await assertWhole(ledger.reader, 1, false)
})

for (const step of ['lock', 'chain', 'write', 'commit']) {
  everyStore(`a store that fails at ${step} acknowledges nothing and records nothing`, async (ledger, kind) => {
    const store = breakable(ledger.store)
    const readOnly: string[] = []
    const sequencer = await sequencerOn(store, { onReadOnly: (reason) => readOnly.push(reason) })
    for (const outcome of await appendAll(sequencer, entriesOf(10))) assertAppended(outcome)
    store.broken = step
    const duplicates = [1, 2, 3].map((n) => entryOf('new', n, { idempotency: keyed(1) }))
    const failed = await appendAll(sequencer, [...duplicates, ...entriesOf(600, 3)])
    const code = kind.shared ? 'store_unavailable' : 'ledger_read_only'
    assert.deepEqual(new Set(failed.map(codeOf)), new Set([code]))
    await assertWhole(ledger.reader, 10)
    store.broken = null
    const next = await appendAll(sequencer, [entryOf('new', 4, { idempotency: keyed(1) }), ...entriesOf(300)])
    assert.deepEqual(new Set(next.map(codeOf)), new Set([kind.shared ? 'ok' : 'ledger_read_only']))
    assert.equal(readOnly.length, kind.shared ? 0 : 1)
    await sequencer.drain()
    await assertWhole(ledger.reader, kind.shared ? 311 : 10)
  })
}

everyStore('a ledger stopped while a batch is being placed ends and refuses the rest', async (ledger) => {
  const store = breakable(ledger.store)
  const sequencer: Sequencer = await sequencerOn(store)
  store.answers = async (keys) => {
    sequencer.stop('the guard says no')
    return ledger.store.answers(keys)
  }
  const duplicates = [1, 2, 3].map((n) => entryOf('a', n, { idempotency: keyed(1) }))
  const codes = (await appendTogether(sequencer, duplicates)).map(codeOf)
  assert.deepEqual(codes, ['ok', 'ledger_read_only', 'ledger_read_only'])
  assert.equal(codeOf(await sequencer.append(entryOf('a', 4))), 'ledger_read_only')
  await sequencer.drain()
})

everyStore('a chore runs alone with the store, and its failure is its caller’s alone', async (ledger) => {
  let open = false
  const store = { ...ledger.store }
  store.lock = async () => {
    open = true
    return ledger.store.lock()
  }
  store.begin = async () => {
    open = true
    await ledger.store.begin()
  }
  store.commit = async () => {
    await ledger.store.commit()
    open = false
  }
  const sequencer = await sequencerOn(store)
  const appends = appendAll(sequencer, entriesOf(1500))
  const tasks = Array.from({ length: 8 }, (_, n) =>
    sequencer.runExclusive(async () => {
      assert.equal(open, false)
      const { size } = sequencer.current
      await store.putMeta('chore', String(n))
      await new Promise(setImmediate)
      assert.deepEqual([open, (await store.head()).size], [false, size])
      return n
    }),
  )
  const broken = sequencer.runExclusive(() => Promise.reject(new Error('a chore of its own')))
  await assert.rejects(broken, /a chore of its own/)
  assert.deepEqual(await Promise.all(tasks), [0, 1, 2, 3, 4, 5, 6, 7])
  for (const outcome of await appends) assertAppended(outcome)
  await assertWhole(ledger.reader, 1500)
})

onShared(
  'after one failure a twin has its own turn: what was refused is not recorded later',
  async ({ store, reader }) => {
    const own = { ...store }
    own.chain = async () => {
      own.chain = store.chain
      throw new Error('the line is down')
    }
    const sequencer = await sequencerOn(own)
    const duplicates = [1, 2, 3].map((n) => entryOf('a', n, { idempotency: keyed(1) }))
    const outcomes = await appendTogether(sequencer, duplicates)
    assert.deepEqual(outcomes.map(codeOf), ['store_unavailable', 'ok', 'ok'])
    assert.deepEqual(
      outcomes.slice(1).map((outcome) => assertAppended(outcome).replayed),
      [null, 'answer 1'],
    )
    await assertWhole(reader, 1)
    assert.match(Buffer.from((await reader.byIndex(0))!.body).toString(), /"request-2"/)
  },
)

onShared('a commit nobody can tell the outcome of is not called unrecorded', async ({ store, reader }) => {
  const own = breakable(store)
  own.commit = async () => {
    await store.commit()
    throw new OutcomeUnknown('no answer')
  }
  const sequencer = await sequencerOn(own)
  const entry = entryOf('a', 1, { idempotency: keyed(1) })
  const lost = await sequencer.append(entry)
  assert.ok(!lost.ok && lost.code === 'store_unavailable')
  assert.doesNotMatch(lost.message, /nothing was recorded/)
  own.commit = store.commit
  assert.equal(assertAppended(await sequencer.append(entry)).replayed, 'answer 1')
  assertAppended(await sequencer.append(entryOf('a', 2)))
  await assertWhole(reader, 2)
})

onShared('two nodes with 16 writers each append 2,000 receipts to one dense ledger', async (ledger) => {
  await secondNode(ledger, async (second) => {
    const nodes = [await sequencerOn(ledger.store), await sequencerOn(second)]
    const digests: string[] = []
    const write = async (sequencer: Sequencer, node: number, writer: number) => {
      for (let n = writer; n < 1000; n += 16)
        digests.push(assertAppended(await sequencer.append(entryOf(`c${n % 6}`, node * 1000 + n))).digest)
    }
    const writers = Array.from({ length: 16 }, (_, writer) => writer)
    await Promise.all(nodes.flatMap((sequencer, node) => writers.map((writer) => write(sequencer, node, writer))))
    assert.equal(new Set(digests).size, 2000)
    await assertWhole(ledger.reader, 2000)
    const links = await ledger.sql('SELECT 1 FROM {receipts} GROUP BY chain_id, prev HAVING count(*) > 1')
    assert.deepEqual(links, [])
    const stored = new Set((await ledger.reader.range(0, 2000)).map(({ digest }) => digest))
    assert.ok(digests.every((digest) => stored.has(digest)))
  })
})

onShared('one idempotency key used on two nodes at once is kept once', async (ledger) => {
  await secondNode(ledger, async (second) => {
    const nodes = [await sequencerOn(ledger.store), await sequencerOn(second)]
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        nodes[n % 2]!.append(entryOf(`c${n % 2}`, n, { idempotency: keyed(n >> 2) })),
      ),
    )
    assert.equal(outcomes.map(assertAppended).filter(({ replayed }) => replayed === null).length, 25)
    await assertWhole(ledger.reader, 25)
  })
})

onShared('places given to an unsigned batch and filled by another node meanwhile are not believed', async (ledger) => {
  await secondNode(ledger, async (second) => {
    const own = switchedSigner()
    const [first, other] = [await sequencerOn(ledger.store, { signer: own }), await sequencerOn(second)]
    assertAppended(await first.append(entryOf('a', 0)))
    own.fails = true
    assert.equal(codeOf(await first.append(entryOf('a', 1))), 'signer_unavailable')
    assertAppended(await other.append(entryOf('a', 2)))
    own.fails = false
    assertAppended(await first.append(entryOf('a', 3)))
    await assertWhole(ledger.reader, 3)
  })
})

const KILL = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'orch-ledger' AND datname = current_database()`

onShared('a session ended in the middle of a batch is not acknowledged, and the next append works', async (ledger) => {
  const { store, reader } = ledger
  for (const step of ['lock', 'write', 'commit'] as const) {
    const own = { ...store }
    let armed = true
    const killOnce = async () => {
      if (armed) await ledger.sql(KILL)
      armed = false
    }
    own.lock = async () => {
      const head = await store.lock()
      if (step === 'lock') await killOnce()
      return head
    }
    own.write = async (batch) => {
      if (step === 'write') await killOnce()
      await store.write(batch)
    }
    own.commit = async () => {
      if (step === 'commit') await killOnce()
      await store.commit()
    }
    const { size } = await reader.head()
    const sequencer = await sequencerOn(own)
    const lost = await sequencer.append(entryOf('a', size, { idempotency: keyed(size) }))
    assert.equal(codeOf(lost), 'store_unavailable', step)
    assert.match(lost.ok ? '' : lost.message, /nothing was recorded/, step)
    assert.equal((await reader.head()).size, size, step)
    assert.equal(
      assertAppended(await sequencer.append(entryOf('a', size, { idempotency: keyed(size) }))).replayed,
      null,
    )
  }
  await assertWhole(reader, 3)
})

onShared('sessions ended at random moments under load lose nothing that was acknowledged', async (ledger) => {
  const sequencer = await sequencerOn(ledger.store)
  const acknowledged: Appended[] = []
  let refused = 0
  let stop = false
  const writer = async (w: number) => {
    for (let n = 0; !stop; n += 1) {
      const outcome = await sequencer.append(entryOf(`c${w % 3}`, w * 10_000 + n))
      if (outcome.ok) acknowledged.push(outcome.appended)
      else refused += 1
    }
  }
  const writers = Array.from({ length: 16 }, (_, w) => writer(w))
  for (const pauseMs of fc.sample(fc.integer({ min: 5, max: 60 }), { seed: SEED, numRuns: 25 })) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    await ledger.sql(KILL)
  }
  stop = true
  await Promise.all(writers)
  const { size } = await ledger.reader.head()
  assert.equal(size, acknowledged.length)
  assert.ok(refused > 0 && size > 0, `${refused} refused, ${size} recorded`)
  for (const { nodeIndex, digest } of acknowledged)
    assert.equal((await ledger.reader.byIndex(nodeIndex))?.digest, digest)
  await assertWhole(ledger.reader, size)
})
