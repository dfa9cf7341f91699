// Somebody who can write to the database and holds no key edits what decisions rest on: reviews, their payloads, kept
// answers, budgets, notes, claims, counters. What the service makes of each, on both stores, running and started again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalize, sha256Hex, verifyLedgerExport } from '@orch/core'
import { commandWith, statement } from '#testing/anatomy.ts'
import {
  ALTERED,
  api,
  budgetAt,
  edits,
  LATER,
  notesAt,
  onBothStores,
  outcome,
  payloadAt,
  refusal,
  restoreLater,
  reviewAt,
  rewrite,
  STALE,
  WIRE,
  type World,
  walkToHead,
} from '#testing/forging.ts'
import { send } from '#testing/raw-http.ts'
import { documentDigest } from '../domain/bound-documents.ts'
import { documentKey } from '../domain/document-key.ts'
import { receiptChecks } from '../domain/receipt-checks.ts'
import type { Review } from '../domain/reviews/review.ts'
import { idleBudgets } from './session-budget.ts'

async function whileRunning(name: string, world: World): Promise<void> {
  const { call, govern, loop, decide, item, body, step } = api(world)
  const { row, put, change, remove } = edits(world)
  const { outside } = world
  const pending = async () => (await govern(WIRE)).json.review.review_id as string
  /** The rows are put back one by one: others that the service wrote meanwhile stay. */
  const restoring = (sentence: string, work: () => Promise<unknown>, look: () => Promise<void>) =>
    test(`${name}: ${sentence}`, async () => {
      const undo = await restoreLater(outside)
      await work()
      await look()
      await undo()
    })

  const [forged, approved] = [await pending(), await pending()]
  const verdict = (await decide(approved)).json.receipt

  const approve = (review: Review) => Object.assign(review, { valid_until: LATER })
  await restoring(
    'a review that is merely written as approved lifts nothing',
    async () => {
      await put(reviewAt(forged), 'state', 'approved')
      await change(reviewAt(forged), approve)
    },
    async () => assert.deepEqual(outcome(await govern({ ...WIRE, review_id: forged })), STALE),
  )
  await restoring(
    'nor does one that names the verdict on another review',
    async () => {
      const { value } = await row(reviewAt(approved))
      const { events } = JSON.parse(value as string) as Review
      await change<Review>(reviewAt(forged), (review) => {
        approve(review)
        review.events = [...review.events, { ...events[1]!, receipt: verdict.digest }]
      })
      await put(reviewAt(forged), 'state', 'approved')
      await put(reviewAt(forged), 'node_index', verdict.node_index)
    },
    async () => assert.deepEqual(outcome(await govern({ ...WIRE, review_id: forged })), STALE),
  )
  const denied = await pending()
  const denial = (await decide(denied, 'deny')).json.receipt
  // Walked before it is edited: a walk in the background would find the receipt first, and stop the ledger.
  await walkToHead(world)
  await restoring(
    'nor one whose denial was rewritten as an approval, receipt included',
    async () => {
      const text = JSON.stringify(await body(denial.digest))
      const approving = Buffer.from(text.replaceAll('"deny"', '"approve"').replaceAll('"denied"', '"approved"'))
      const digest = Buffer.from(sha256Hex(approving), 'hex')
      await outside.run(
        'UPDATE receipts SET body = $1, digest = $2 WHERE node_index = $3',
        approving,
        digest,
        denial.node_index,
      )
      await put(reviewAt(denied), 'state', 'approved')
      await change<Review>(reviewAt(denied), (review) => {
        approve(review)
        for (const { vote } of review.events) if (vote) vote.verdict = 'approve'
      })
    },
    async () => assert.deepEqual(outcome(await govern({ ...WIRE, review_id: denied })), STALE),
  )
  await restoring(
    'an approval of another request is none of this one',
    () => change<Review>(reviewAt(approved), (review) => (review.input_sha256 = 'ab'.repeat(32))),
    async () => assert.equal((await govern({ ...WIRE, review_id: approved })).json.decision, 'review'),
  )
  await restoring(
    'an approval does not live longer than its verdict says',
    () => change<Review>(reviewAt(approved), approve),
    async () => assert.deepEqual(outcome(await govern({ ...WIRE, review_id: approved })), STALE),
  )
  for (const [what, edit] of [
    ['who asked', (review: Review) => (review.requested_by.owner = 'somebody')],
    ['how many must approve', (review: Review) => (review.required_approvals = 0)],
    ['what was found', (review: Review) => (review.findings = [])],
  ] as const)
    await restoring(
      `a review that says another ${what} is neither shown nor decided`,
      () => change(reviewAt(forged), edit),
      async () => {
        assert.deepEqual(refusal(await item(forged)), ALTERED)
        assert.deepEqual(refusal(await decide(forged)), ALTERED)
      },
    )
  await restoring(
    'a payload that was swapped is not shown to the one who decides',
    () =>
      change<{ request: object }>(payloadAt(forged), (snapshot) => (snapshot.request = { text: 'Water the plants' })),
    async () => assert.deepEqual(refusal(await item(forged)), ALTERED),
  )

  const { ledger, reviews } = world.service.app.ports
  await restoring(
    'a review that was written as expired, in the name of another, is signed by no sweep',
    () =>
      change<Review>(reviewAt(forged), (review) =>
        Object.assign(review, { namespace: 'victim', expires_at: review.created_at, input_sha256: 'ab'.repeat(32) }),
      ),
    async () => {
      const { size } = await ledger.reader.head()
      await reviews.sweep()
      assert.equal((await ledger.reader.head()).size, size)
    },
  )
  for (const text of ['no review', '{}', '[]'])
    await restoring(
      `a review whose text is ${text} is left out of the list and of the sweep`,
      () => put(reviewAt(forged), 'value', text),
      async () => {
        const listed = await send(`${world.service.url}/api/orch/v1/reviews?state=all`)
        assert.equal(listed.status, 200)
        const ids = (listed.json.items as { review_id: string }[]).map(({ review_id }) => review_id)
        assert.deepEqual([ids.includes(forged), ids.includes(approved)], [false, true])
        await reviews.sweep()
        assert.deepEqual(refusal(await item(forged)), ALTERED)
      },
    )

  await test(`${name}: what was put back counts, once, and its receipt names the verdict`, async () => {
    const lifted = await govern({ ...WIRE, review_id: approved })
    assert.deepEqual(outcome(lifted), ['allow', ['APPROVED_BY_REVIEW']])
    const { payload } = await body(lifted.json.receipt.digest)
    assert.deepEqual([payload.approval.review_id, payload.approval.receipts], [approved, [verdict.digest]])
    assert.deepEqual(outcome(await govern({ ...WIRE, review_id: approved })), STALE)
  })
  await restoring(
    'a used approval that is written as approved again lifts nothing',
    () => put(reviewAt(approved), 'state', 'approved'),
    async () => assert.deepEqual(outcome(await govern({ ...WIRE, review_id: approved })), STALE),
  )

  const request = { goal: 'x', session_id: 'loop', plan: [{ tool: 'session_clear' }, { tool: 'time' }] }
  const halted = (await loop(request)).json
  await decide(halted.review.review_id)
  const waiting = (await loop({ ...request, session_id: 'waiting' })).json
  await decide(waiting.review.review_id)
  await restoring(
    'a halted run does not resume from another payload than the one that was held',
    () =>
      change<{ held: { rest: object[] } }>(payloadAt(halted.review.review_id), ({ held: snapshot }) => {
        snapshot.rest = [{ tool: 'session_clear', args: {} }]
      }),
    async () => assert.deepEqual(refusal(await loop({ ...request, review_id: halted.review.review_id })), ALTERED),
  )
  await test(`${name}: it resumes from its own`, async () =>
    assert.equal((await loop({ ...request, review_id: halted.review.review_id })).json.status, 'completed'))

  const noting = {
    goal: 'x',
    session_id: 'notes',
    plan: [{ tool: 'note_put', args: { name: 'n', text: 'the harbour is quiet' } }],
  }
  assert.equal((await loop(noting)).json.status, 'completed')
  await restoring(
    'notes that were edited are not told to the agent',
    () => change<{ notes: { text: string }[] }>(notesAt('notes'), ({ notes }) => (notes[0]!.text = 'send it all')),
    async () =>
      assert.deepEqual(
        refusal(await loop({ ...noting, plan: [{ tool: 'retrieve', args: { query: 'harbour' } }] })),
        ALTERED,
      ),
  )

  await restoring(
    'the list shows a review in the state that was written on it, and its item is refused',
    () => put(reviewAt(forged), 'state', 'denied'),
    async () => {
      const listed = await send(`${world.service.url}/api/orch/v1/reviews?state=denied`)
      assert.ok((listed.json.items as { review_id: string }[]).some(({ review_id }) => review_id === forged))
      assert.deepEqual(refusal(await item(forged)), ALTERED)
    },
  )
  await restoring(
    'a payload that was deleted is shown to nobody, and its run does not resume',
    async () => {
      await remove(payloadAt(forged))
      await remove(payloadAt(waiting.review.review_id))
    },
    async () => {
      const { status, json } = await item(forged)
      assert.deepEqual([status, json.payload ?? null], [200, null])
      const resumed = await loop({ ...request, session_id: 'waiting', review_id: waiting.review.review_id })
      assert.notEqual(resumed.json.status, 'completed')
    },
  )
  await restoring(
    'whoever says that another node is there is believed, and nothing is decided otherwise',
    () =>
      outside.run(
        'INSERT INTO documents (space, key, version, owner, state, rank, value) VALUES ($1, $2, 1, $3, $4, $5, $6)',
        ...['node', Buffer.from('ab'.repeat(32), 'hex'), 'system/nodes', 'SEEN', Date.now(), '{}'],
      ),
    async () => {
      assert.deepEqual(outcome(await govern({ ...WIRE, review_id: forged })), outcome(await govern(WIRE)))
      await remove(['node', 'ab'.repeat(32)])
    },
  )

  const anatomy = (operation: string, sent: object) => call(`anatomy-ledger/${operation}`, sent)
  const evidence = (await anatomy('evaluate', statement())).json
  const timestamp = new Date().toISOString()
  const { replayCapsule: capsule } = (await anatomy('analyze', { command: commandWith({ context: { timestamp } }) }))
    .json
  assert.equal((await anatomy('replay', capsule)).json.trust, 'ledger-bound')
  await walkToHead(world)
  await restoring(
    'a record of the anatomy ledger that was rewritten with its receipt is not given out',
    async () => {
      const { recordHash: _, ...rest } = { ...evidence.record, outcome: 'ALLOW' }
      const recordHash = sha256Hex(canonicalize(rest))
      const [stored] = await outside.run("SELECT key FROM documents WHERE space = 'anatomy.record'")
      const place = ['anatomy.record', Buffer.from(stored!.key as Uint8Array).toString('hex')] as const
      await put([...place], 'value', JSON.stringify({ ...rest, recordHash }))
      await rewrite(world, evidence.receipt.node_index, ({ payload }) => Object.assign(payload, { recordHash }))
    },
    async () => {
      assert.deepEqual(refusal(await anatomy('evaluate', statement())), [503, 'ledger_unavailable'])
      const page = (await send(`${world.service.url}/api/orch/v1/anatomy-ledger/ledger`)).json
      const codes = page.chainIntegrity.errors.map(({ code }: { code: string }) => code)
      assert.ok(codes.includes('SIGNATURE_INVALID'), codes)
      assert.deepEqual(page.records, [])
    },
  )
  await restoring(
    'a capsule whose receipt no longer carries its signature is not ours',
    () =>
      outside.run(
        'UPDATE receipts SET sig = NULL, key_id = NULL WHERE digest = $1',
        Buffer.from(capsule.receiptDigest, 'hex'),
      ),
    async () => assert.equal((await anatomy('replay', capsule)).json.trust, 'untrusted'),
  )

  const key = { 'idempotency-key': 'once' }
  const first = await govern(WIRE, key)
  const other = await govern({ text: 'What is the capital of France?' }, { 'idempotency-key': 'other' })
  const answerOf = (index: number) => outside.run('SELECT * FROM answers WHERE node_index = $1', index)
  const [mine, theirs] = [first, other].map(({ json }) => json.receipt.node_index as number) as [number, number]
  await restoring(
    'a kept answer that was edited is not given again',
    () => outside.run(`UPDATE answers SET answer = replace(answer, '"decision":"review"', '"decision":"allow"')`),
    async () => assert.deepEqual(refusal(await govern(WIRE, key)), ALTERED),
  )
  await restoring(
    'nor is the answer to another request with its genuine receipt',
    async () => {
      const [allowed] = await answerOf(theirs)
      await outside.run(
        'UPDATE answers SET answer = $1, node_index = $2 WHERE node_index = $3',
        allowed!.answer as string,
        theirs,
        mine,
      )
    },
    async () => assert.deepEqual(refusal(await govern(WIRE, key)), ALTERED),
  )
  await test(`${name}: a kept answer that nobody edited is`, async () =>
    assert.equal((await govern(WIRE, key)).text, first.text))
  await restoring(
    'a kept answer that was deleted is missed by nobody: the request is decided again, with a receipt of its own',
    () => outside.run('DELETE FROM answers WHERE node_index = $1', mine),
    async () => assert.notEqual((await govern(WIRE, key)).json.receipt.digest, first.json.receipt.digest),
  )

  const session = { session_id: 'spender' }
  await govern({ ...WIRE, ...session })
  await restoring(
    'a budget that was filled up again is not gone by: every call of the session is held for people',
    () => change<{ spent_micro: number }>(budgetAt('spender'), (budget) => (budget.spent_micro = 0)),
    async () => {
      const { decision, reasons } = (await govern({ text: 'What is the capital of France?', ...session })).json
      assert.equal(decision, 'review')
      assert.ok(reasons.includes('BUDGET_UNAVAILABLE'), reasons)
    },
  )
  await restoring(
    'nor is one that leans on the receipt of another session',
    async () => {
      await govern({ text: 'What is the capital of France?', session_id: 'thrifty' })
      const { value, node_index } = await row(budgetAt('thrifty'))
      await put(budgetAt('spender'), 'value', value as string)
      await put(budgetAt('spender'), 'node_index', node_index as number)
    },
    async () => assert.ok((await govern({ text: 'Hello', ...session })).json.reasons.includes('BUDGET_UNAVAILABLE')),
  )
  await restoring(
    'nor is one that leans on a receipt which charges nothing',
    async () => {
      await change<{ spent_micro: number }>(budgetAt('spender'), (budget) => (budget.spent_micro = 0))
      await put(budgetAt('spender'), 'node_index', 0)
    },
    async () => assert.ok((await govern({ text: 'Hello', ...session })).json.reasons.includes('BUDGET_UNAVAILABLE')),
  )
  await restoring(
    'a budget whose session was written as idle for a day is neither emptied nor removed',
    async () => put(budgetAt('spender'), 'rank', Number((await row(budgetAt('spender'))).rank) - 25 * 3_600_000),
    async () => {
      const source = { reader: ledger.reader, check: receiptChecks(ledger, ledger.reader) }
      assert.deepEqual(await idleBudgets(source, Date.now(), 10), [])
      const { receipt } = (await govern({ text: 'What is the capital of France?', ...session })).json
      assert.ok((await body(receipt.digest)).payload.session_budget.spent_before > 0)
    },
  )
  await test(`${name}: a budget that was raised is believed: the session is held for people sooner`, async () => {
    const asked = { text: 'What is the capital of France?', session_id: 'raised' }
    assert.equal((await govern(asked)).json.decision, 'allow')
    await change<{ spent_micro: number }>(budgetAt('raised'), (budget) => (budget.spent_micro = 9_000_000))
    assert.ok((await govern(asked)).json.reasons.includes('BUDGET_EXCEEDED'))
  })
  await test(`${name}: the budget that its receipt bears out is charged on`, async () =>
    assert.equal((await govern({ text: 'What is the capital of France?', ...session })).json.decision, 'allow'))

  await test(`${name}: a counter of a quota is believed, whatever it says`, async () => {
    await step({ session_id: 'counted', request: 'read the audit log' })
    const counters = () => outside.run("SELECT value FROM counters WHERE space = 'gdw.quota.steps'")
    assert.ok((await counters()).every(({ value }) => Number(value) > 0))
    await outside.run("UPDATE counters SET value = 0 WHERE space = 'gdw.quota.steps'")
    assert.equal((await step({ session_id: 'counted', request: 'read the audit log' })).status, 200)
    assert.ok((await counters()).every(({ value }) => Number(value) === 1))
  })

  await test(`${name}: after all of it the ledger is whole, here and offline`, async () => {
    assert.equal((await ledger.walk(true)).broken, null)
    await ledger.checkpointNow()
    const lines: string[] = []
    for await (const line of ledger.exportLines()) lines.push(line.trimEnd())
    const report = await verifyLedgerExport(lines, { keys: [], logKeys: [ledger.vkey] })
    assert.equal(report.checks.find(({ check }) => check === 'hash_chain')?.status, 'VERIFIED')
  })

  await test(`${name}: a budget that is deleted under the service that charged it is missed: its calls are held`, async () => {
    await walkToHead(world)
    await remove(budgetAt('spender'))
    assert.ok((await govern({ text: 'Hello', ...session })).json.reasons.includes('BUDGET_UNAVAILABLE'))
  })
}

/** Nothing is remembered across a start: what can still be told is told by the receipts. */
async function startedAgain(name: string, world: World): Promise<void> {
  const { row, put, putBack, change, remove } = edits(world)
  world.service = await world.restart()
  let { govern, decide, loop, body } = api(world)
  const id = (await govern(WIRE)).json.review.review_id as string
  await decide(id)
  const approved = await row(reviewAt(id))
  const lifted = (await govern({ ...WIRE, review_id: id })).json
  assert.equal(lifted.decision, 'allow')
  const key = { 'idempotency-key': 'run' }
  const run = (await loop({ goal: 'calculate 2+3' }, key)).json
  for (const session_id of ['gone', 'emptied', 'leaning', 'again']) await govern({ ...WIRE, session_id })
  const fuller = await row(budgetAt('again'))
  await govern({ ...WIRE, session_id: 'again' })

  world.service = await world.restart()
  ;({ govern, decide, loop, body } = api(world))
  // A walk that came by while two receipts stand in each other's place would find the ledger broken.
  await walkToHead(world)
  await test(`${name}: nor does it help to move its verdict behind the receipt that used it`, async () => {
    const [from, to] = [Number(approved.node_index), (await world.service.app.ports.ledger.reader.head()).size - 1]
    const move = (was: number, is: number) =>
      world.outside.run('UPDATE receipts SET node_index = $1 WHERE node_index = $2', is, was)
    const swap = async () => {
      await move(to, 1_000_000)
      await move(from, to)
      await move(1_000_000, from)
    }
    await world.unguard()
    const used = await row(reviewAt(id))
    await putBack(reviewAt(id), { ...approved, node_index: to })
    await swap()
    const again = await govern({ ...WIRE, review_id: id })
    await swap()
    await putBack(reviewAt(id), used)
    assert.deepEqual(outcome(again), STALE)
  })
  await test(`${name}: a used approval that was put back whole is found to be used by its receipt`, async () => {
    await putBack(reviewAt(id), approved)
    assert.deepEqual(outcome(await govern({ ...WIRE, review_id: id })), STALE)
  })
  await test(`${name}: a run whose claim and answer were deleted runs again, with receipts of its own`, async () => {
    await remove(['agent.run', documentKey('public', 'local', 'run')])
    await world.outside.run('DELETE FROM answers WHERE node_index = $1', run.master_receipt.node_index)
    const again = (await loop({ goal: 'calculate 2+3' }, key)).json
    assert.notEqual(again.master_receipt.digest, run.master_receipt.digest)
  })
  await walkToHead(world)
  for (const [session, what, work] of [
    ['gone', 'deleted', () => remove(budgetAt('gone'))],
    ['emptied', 'emptied at a later version', () => emptied(budgetAt('emptied'))],
    ['leaning', 'lowered and leans on no receipt', () => lowered(budgetAt('leaning'))],
    ['again', 'put back whole', () => putBack(budgetAt('again'), fuller)],
  ] as const)
    await test(`${name}: a budget that was ${what} is missed by the walk: every call of the session is held`, async () => {
      await work()
      const pending = (await govern({ text: 'What is the capital of France?', session_id: session })).json
      assert.equal(pending.decision, 'review')
      assert.ok(pending.reasons.includes('BUDGET_UNAVAILABLE'), pending.reasons)
      assert.equal((await body(pending.receipt.digest)).payload.session_budget, undefined)
    })

  async function emptied(place: Parameters<typeof put>[0]): Promise<void> {
    await put(place, 'version', Number((await row(place)).version) + 1)
    await put(place, 'value', null)
  }

  async function lowered(place: Parameters<typeof put>[0]): Promise<void> {
    await put(place, 'node_index', null)
    await change<{ spent_micro: number }>(place, (budget) => (budget.spent_micro = 0))
  }
}

/** The note is away for as long as a request takes: what only the note speaks against must not count meanwhile. */
async function withoutNote(name: string, world: World): Promise<void> {
  const { govern, decide, item, readyz } = api(world)
  const { row, put } = edits(world)
  const { outside } = world
  const id = (await govern(WIRE)).json.review.review_id as string
  const denial = (await decide(id, 'deny')).json.receipt
  const key = { 'idempotency-key': 'once' }
  const first = (await govern(WIRE, key)).json
  await walkToHead(world)

  const stored = await row(reviewAt(id))
  const review = JSON.parse(stored.value as string) as Review
  review.valid_until = LATER
  for (const { vote } of review.events) if (vote) vote.verdict = 'approve'
  const value = JSON.stringify(review)
  const [space, hex] = reviewAt(id)
  const named = { space, key: hex, owner: 'public', state: 'approved', rank: Number(stored.rank), value }
  await put(reviewAt(id), 'value', value)
  await put(reviewAt(id), 'state', 'approved')
  await rewrite(world, denial.node_index, ({ payload }) =>
    Object.assign(payload, {
      ...{ verdict: 'approve', state_after: 'approved', documents_sha256: [documentDigest(named)] },
    }),
  )
  const [snapshot] = await outside.run('SELECT answer FROM answers WHERE node_index = $1', first.receipt.node_index)
  const answer = (snapshot!.answer as string).replace('"decision":"review"', '"decision":"allow"')
  await outside.run('UPDATE answers SET answer = $1 WHERE node_index = $2', answer, first.receipt.node_index)
  await rewrite(world, first.receipt.node_index, ({ payload }) =>
    Object.assign(payload.idempotency as object, { answer_sha256: sha256Hex(answer) }),
  )
  const [note] = await outside.run("SELECT value FROM meta WHERE name = 'ledger_record'")
  await outside.run("DELETE FROM meta WHERE name = 'ledger_record'")
  const [shown, again] = [await item(id), await govern(WIRE, key)]
  await outside.run("INSERT INTO meta (name, value) VALUES ('ledger_record', $1)", note!.value as string)

  await test(`${name}: an unsigned receipt bears out no approval`, () => assert.deepEqual(refusal(shown), ALTERED))
  await test(`${name}: nor does it bring a forged answer back`, () => assert.deepEqual(refusal(again), ALTERED))
  await test(`${name}: the ledger stops, also once the note is back`, async () => {
    assert.deepEqual(refusal(await govern(WIRE)), [503, 'ledger_read_only'])
    assert.match((await readyz()).text, /ledger_record of table meta/)
  })
}

onBothStores('forged', [
  ['running', whileRunning],
  ['started again', startedAgain],
  ['without its note', withoutNote],
])
