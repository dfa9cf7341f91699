// Somebody who can write to the database and holds no key takes receipts away, or rewrites those that nobody signed, for as
// long as a request takes: what decisions rest on is looked up in the tree that the process has in its memory.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { importPublicKey, sha256Hex } from '@orch/core'
import {
  ALTERED,
  api,
  edits,
  onBothStores,
  outcome,
  refusal,
  reviewAt,
  rewrite,
  WIRE,
  type World,
  walkToHead,
} from '#testing/forging.ts'
import { send } from '#testing/raw-http.ts'

/** A used approval is put back while the receipt that used it cannot be found. */
async function hiddenUse(name: string, world: World): Promise<void> {
  const { row, putBack } = edits(world)
  const { outside } = world
  for (const [what, hide] of [
    ['deleted', (index: number) => outside.run('DELETE FROM receipts WHERE node_index = $1', index)],
    [
      'rewritten',
      (index: number) =>
        rewrite(world, index, ({ payload }) => {
          delete payload.approval
        }),
    ],
  ] as const) {
    world.service = await world.restart()
    const before = api(world)
    const id = (await before.govern(WIRE)).json.review.review_id as string
    await before.decide(id)
    const approved = await row(reviewAt(id))
    const lifted = await before.govern({ ...WIRE, review_id: id })
    assert.deepEqual(outcome(lifted), ['allow', ['APPROVED_BY_REVIEW']])

    world.service = await world.restart()
    const { govern, readyz } = api(world)
    await walkToHead(world)
    const { node_index: index } = lifted.json.receipt
    const [receipt] = await outside.run('SELECT * FROM receipts WHERE node_index = $1', index)
    const used = await row(reviewAt(id))
    await world.unguard()
    await putBack(reviewAt(id), approved)
    await hide(index)
    const again = await govern({ ...WIRE, review_id: id })
    await outside.run('DELETE FROM receipts WHERE node_index = $1', index)
    const columns = Object.keys(receipt!)
    const values = Object.values(receipt!) as (string | number | Uint8Array | null)[]
    const marks = columns.map((_, n) => `$${n + 1}`)
    await outside.run(`INSERT INTO receipts (${columns}) VALUES (${marks})`, ...values)
    await putBack(reviewAt(id), used)

    await test(`${name}: an approval is not used again while the receipt that used it is ${what}`, async () => {
      assert.deepEqual(refusal(again), [503, 'ledger_read_only'])
      assert.match((await readyz()).text, /receipts from index \d+ on are missing or are not those of the tree/)
    })
  }
}

async function foreignKey(name: string, world: World): Promise<void> {
  const { govern } = api(world)
  await govern(WIRE)
  const shown = async () => (await send(`${world.service.url}/api/orch/v1/keys`)).text
  const spki = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'der', type: 'spki' })
  const { keyid } = importPublicKey(new Uint8Array(spki))!
  await world.outside.run(
    'INSERT INTO keys (keyid, spki, kind, from_index, from_ts) VALUES ($1, $2, $3, 0, $4)',
    ...[keyid, spki, 'production', '2020-01-01T00:00:00.000Z'],
  )
  const listed = await shown()
  await world.outside.run('DELETE FROM keys WHERE keyid = $1', keyid)
  await test(`${name}: a key that was put into the ring is shown to nobody and stops the ledger`, async () => {
    assert.doesNotMatch(listed, new RegExp(keyid))
    assert.match(listed, new RegExp(world.service.app.ports.ledger.signer.keyid!))
    assert.deepEqual(refusal(await govern(WIRE)), [503, 'ledger_read_only'])
  })
}

/** What was recorded without a signature can be rewritten, digest and all. */
async function unsignedSpan(name: string, world: World): Promise<void> {
  const { outside } = world
  const headers = { 'idempotency-key': 'once' }
  const first = await api(world).govern(WIRE, headers)
  const { node_index: index } = first.json.receipt
  const [stored] = await outside.run('SELECT answer FROM answers WHERE node_index = $1', index)
  const [receipt] = await outside.run('SELECT body, digest FROM receipts WHERE node_index = $1', index)
  const forged = (stored!.answer as string).replace('"decision":"review"', '"decision":"allow"')
  const answerIs = (answer: string) =>
    outside.run('UPDATE answers SET answer = $1 WHERE node_index = $2', answer, index)
  for (const [when, settings] of [
    ['that goes on unsigned', { ORCH_SIGNER: 'none' }],
    ['that signs now', {}],
  ] as const) {
    world.service = await world.restart(settings)
    const { govern } = api(world)
    await walkToHead(world)
    await test(`${name}: what a ledger ${when} recorded unsigned is believed`, async () =>
      assert.equal((await govern(WIRE, headers)).text, first.text))
    await world.unguard()
    await answerIs(forged)
    await rewrite(world, index, ({ payload }) =>
      Object.assign(payload.idempotency as object, { answer_sha256: sha256Hex(forged) }),
    )
    const again = await govern(WIRE, headers)
    await answerIs(stored!.answer as string)
    const { body, digest } = receipt as { body: Uint8Array; digest: Uint8Array }
    await outside.run('UPDATE receipts SET body = $1, digest = $2 WHERE node_index = $3', body, digest, index)
    await test(`${name}: and is not where it was rewritten`, () => assert.deepEqual(refusal(again), ALTERED))
  }
}

onBothStores('forged_receipts', [
  ['hidden use', hiddenUse],
  ['foreign key', foreignKey],
  ['unsigned span', unsignedSpan, { ORCH_SIGNER: 'none' }],
])
