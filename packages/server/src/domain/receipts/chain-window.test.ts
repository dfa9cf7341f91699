import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import {
  bodyTemplate,
  bodyText,
  GENESIS_PREV,
  importPublicKey,
  lakeHash,
  organOf,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  sha256Hex,
} from '@orch/core'
import fc from 'fast-check'
import type { Row } from '../../ledger/contract.ts'
import { chainWindow, type WindowReader } from './chain-window.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const spki = new Uint8Array(publicKey.export({ type: 'spki', format: 'der' }))
const { keyid } = importPublicKey(spki)!
const NAME = { ns: 'public', chain: 'governance' }
const DEPTH = 8
const encoder = new TextEncoder()

/** A chain as a ledger would have made it: the last row is unsigned. */
function chainOf(depth: number): Row[] {
  const rows: Row[] = []
  for (let seq = 0; seq < depth; seq += 1) {
    const before = rows.at(-1) ?? { digest: GENESIS_PREV, lake: GENESIS_PREV }
    const ts = `2026-01-01T00:00:00.${String(seq).padStart(3, '0')}Z`
    const actor = { owner: 'local', key_id: null, auth_mode: 'open' }
    const payload = { decision: 'ALLOW', lambda: 0.97, n: seq }
    const draft = {
      kind: 'decision' as const,
      ...NAME,
      ts_utc: ts,
      request_id: `r${seq}`,
      actor,
      policy: null,
      payload,
    }
    const body = encoder.encode(bodyText(bodyTemplate(draft, null), before.digest, seq))
    const digest = sha256Hex(body)
    const link = { organ: organOf(NAME.ns, NAME.chain), chain_index: seq + 1, prev_hash: before.lake }
    const lake = lakeHash({ ...link, receipt_digest: digest, ts_utc: ts })
    const signed = seq < depth - 1
    rows.push({
      ...NAME,
      nodeIndex: seq,
      seq,
      prev: before.digest,
      digest,
      lake,
      body,
      signature: signed ? sign('sha256', pae(RECEIPT_PAYLOAD_TYPE, body), privateKey) : null,
      keyid: signed ? keyid : null,
      keyKind: signed ? 'demo' : null,
      signatureState: signed ? 'SIGNED' : 'UNSIGNED',
    })
  }
  return rows
}

const WHOLE = chainOf(DEPTH)
const HEAD = { id: 1, ...NAME, depth: DEPTH, head: WHOLE.at(-1)!.digest, headIndex: 7, lake: WHOLE.at(-1)!.lake }

const readerOf = (rows: readonly Row[], head: object = HEAD): WindowReader => ({
  chains: async () => [head as typeof HEAD],
  chainRange: async (_ns, _chain, from, limit) => rows.filter(({ seq }) => seq >= from).slice(0, limit),
  keys: async () => [{ keyid, spki, kind: 'demo', fromIndex: 0, toIndex: null, from: '', to: null }],
})
const changed = (at: number, change: Partial<Row>): Row[] =>
  WHOLE.map((row) => (row.seq === at ? { ...row, ...change } : row))
const breakOf = async (rows: readonly Row[], limit = DEPTH) =>
  (await chainWindow(readerOf(rows), NAME, limit)).check.first_break_seq

test('a chain that nobody touched holds, each digest, link and signature counted as it was checked', async () => {
  const { check, depth, head, rows } = await chainWindow(readerOf(WHOLE), NAME, 400)
  assert.deepEqual(check, {
    from_seq: 0,
    to_seq: 7,
    recomputed: 8,
    links_checked: 8,
    signatures_checked: 7,
    first_break_seq: null,
  })
  assert.deepEqual([depth, head, rows.length], [DEPTH, WHOLE.at(-1)!.digest, DEPTH])
})

test('a chain that has not begun has no window', async () => {
  const { check, depth, head, rows } = await chainWindow({ ...readerOf([]), chains: async () => [] }, NAME, 60)
  assert.deepEqual(
    [depth, head, rows, check.from_seq, check.to_seq, check.recomputed, check.links_checked],
    [0, GENESIS_PREV, [], null, null, 0, 0],
  )
})

test('the oldest row of a window is linked to the one before it', async () => {
  const { check, rows } = await chainWindow(readerOf(WHOLE), NAME, 3)
  assert.deepEqual([check.from_seq, check.to_seq, check.recomputed, check.links_checked], [5, 7, 3, 3])
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    [5, 6, 7],
  )
  const forged = encoder.encode(Buffer.from(WHOLE[4]!.body).toString().replace('0.97', '0.11'))
  assert.equal(await breakOf(changed(4, { body: forged }), 3), 5)
  assert.equal(await breakOf(changed(3, { body: forged }), 3), null)
  assert.equal(
    await breakOf(
      WHOLE.filter(({ seq }) => seq !== 4),
      3,
    ),
    5,
  )
})

const other = 'ab'.repeat(32)
const columns: [what: string, change: (row: Row) => Partial<Row>, brokenAt: number][] = [
  ['digest', () => ({ digest: other }), 3],
  ['predecessor', () => ({ prev: other }), 3],
  ['lake hash', () => ({ lake: other }), 3],
  ['signature', ({ signature }) => ({ signature: signature!.map((byte, at) => (at === 40 ? byte ^ 1 : byte)) }), 3],
  ['key', () => ({ keyid: other }), 3],
  ['body', ({ body }) => ({ body: body.slice(1) }), 3],
]
for (const [what, change, brokenAt] of columns)
  test(`another ${what} beside the bytes turns the window false at that row`, async () => {
    assert.equal(await breakOf(changed(3, change(WHOLE[3]!))), brokenAt)
  })

test('any byte of any body that is another turns the window false, also where its digest is made to fit', async () => {
  const place = fc.record({ seq: fc.nat(DEPTH - 1), at: fc.nat(200), flip: fc.integer({ min: 1, max: 255 }) })
  await fc.assert(
    fc.asyncProperty(place, fc.boolean(), async ({ seq, at, flip }, fitted) => {
      const body = WHOLE[seq]!.body.map((byte, index) => (index === at ? byte ^ flip : byte))
      const found = await breakOf(changed(seq, fitted ? { body, digest: sha256Hex(body) } : { body }))
      assert.equal(found, seq)
    }),
    { seed: 5 },
  )
})

test('each field of a body, changed alone and written canonically again, turns the window false', async () => {
  const body = JSON.parse(Buffer.from(WHOLE[3]!.body).toString())
  const fields = [...Object.keys(body), ...Object.keys(body.payload).map((name) => `payload.${name}`)]
  for (const field of fields) {
    const copy = structuredClone(body)
    const [name, inner] = field.split('.') as [string, string | undefined]
    if (inner === undefined) copy[name] = typeof copy[name] === 'number' ? 99 : 'x'
    else copy[name][inner] = 'x'
    const bytes = encoder.encode(JSON.stringify(copy))
    assert.equal(await breakOf(changed(3, { body: bytes, digest: sha256Hex(bytes) })), 3, field)
  }
})

test('a row that is gone, or one that was put in its place twice, breaks where it is missing', async () => {
  assert.equal(await breakOf(WHOLE.filter(({ seq }) => seq !== 2)), 2)
  assert.equal(await breakOf(WHOLE.slice(0, -1)), 7)
  const twice = [...WHOLE.slice(0, 5), { ...WHOLE[4]!, seq: 5 }, ...WHOLE.slice(6)]
  assert.equal(await breakOf(twice), 5)
})

test('a head that is not the digest of the newest row is a break there', async () => {
  for (const change of [{ head: other }, { lake: other }]) {
    const { check } = await chainWindow(readerOf(WHOLE, { ...HEAD, ...change }), NAME, DEPTH)
    assert.equal(check.first_break_seq, 7)
  }
})

test('a signature whose key is not in the ring is a break', async () => {
  const without = { ...readerOf(WHOLE), keys: async () => [] }
  assert.equal((await chainWindow(without, NAME, DEPTH)).check.first_break_seq, 0)
})
