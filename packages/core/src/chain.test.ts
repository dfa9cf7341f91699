import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { type ChainEntry, ChainWalker, describeBreak, verifyChain, type WalkState } from './chain.ts'
import { sha256Hex } from './digest.ts'
import { GENESIS_PREV, RECEIPT_PAYLOAD_TYPE } from './doctrine.ts'
import { pae } from './dsse.ts'
import { hexEncode, utf8Encode } from './encoding.ts'
import { lakeHash, organOf } from './lake.ts'
import { leafHash, rootOf } from './merkle.ts'
import { importPublicKey, verifyP256Sync } from './p256.ts'
import { bodyTemplate, bodyText, type ReceiptDraft } from './receipt.ts'

const SIZE = 1_000
const CHAINS = ['governance', 'stepping', 'organs']

const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = importPublicKey(new Uint8Array(pair.publicKey.export({ type: 'spki', format: 'der' })))!
const signed = (body: Uint8Array): Uint8Array => sign('sha256', pae(RECEIPT_PAYLOAD_TYPE, body), pair.privateKey)
const verifies = (body: Uint8Array, signature: Uint8Array): boolean =>
  verifyP256Sync(key, pae(RECEIPT_PAYLOAD_TYPE, body), signature)

const draft = (i: number, payload: Record<string, unknown> = { n: i }): ReceiptDraft => ({
  kind: 'sample',
  ns: i % 7 === 6 ? 'tenant' : 'public',
  chain: CHAINS[(i * i) % 3]!,
  ts_utc: `2026-01-01T00:00:00.${String(i).padStart(3, '0')}Z`,
  request_id: `r${i}`,
  actor: { owner: 'local', key_id: null, auth_mode: 'open' },
  policy: null,
  payload,
})

type Stored = { node_index: number; body: Uint8Array; lake: string; organ: string; signature: Uint8Array }
type Head = { seq: number; digest: string; lake: string }

/** What the sequencer does, written a second time and independently of the walker. */
function placed(drafts: readonly ReceiptDraft[], signature: (body: Uint8Array, i: number) => Uint8Array): Stored[] {
  const heads = new Map<string, Head>()
  return drafts.map((one, node_index) => {
    const organ = organOf(one.ns, one.chain)
    const head = heads.get(organ) ?? { seq: 0, digest: GENESIS_PREV, lake: GENESIS_PREV }
    const { entry, next } = linked(one, organ, head)
    heads.set(organ, next)
    return { ...entry, node_index, organ, signature: signature(entry.body, node_index) }
  })
}

function linked(one: ReceiptDraft, organ: string, { seq, digest: prev, lake: prev_hash }: Head) {
  const body = utf8Encode(bodyText(bodyTemplate(one, null), prev, seq))
  const digest = sha256Hex(body)
  const lake = lakeHash({ organ, chain_index: seq + 1, prev_hash, receipt_digest: digest, ts_utc: one.ts_utc })
  return { entry: { body, lake }, next: { seq: seq + 1, digest, lake } }
}

const drafts = Array.from({ length: SIZE }, (_, i) => draft(i))
let ledger: Stored[] = []
let states: WalkState[] = []
let root = ''

before(() => {
  ledger = placed(drafts, signed)
  const walker = new ChainWalker()
  states = ledger.map((entry) => {
    const state = walker.state()
    assert.equal(walker.push(entry), null)
    return state
  })
  root = hexEncode(rootOf(ledger.map(({ body }) => leafHash(body))))
})

const withSignatures = (entries: readonly Stored[]): ChainEntry[] =>
  entries.map((entry) => ({ ...entry, signature_valid: verifies(entry.body, entry.signature) }))
const renumbered = (entries: readonly Stored[]): Stored[] =>
  entries.map((entry, node_index) => ({ ...entry, node_index }))
const nextOfChain = (k: number): number => ledger.findIndex(({ organ }, i) => i > k && organ === ledger[k]!.organ)

/** Everything before `k` is untouched, so the walk goes on from there; the whole is compared in the tests below. */
const brokenFrom = (k: number, entries: Iterable<ChainEntry>) =>
  verifyChain(entries, { from: states[k]!, expected: { size: SIZE, root } }).broken

function altered(k: number): Uint8Array {
  const value = JSON.parse(new TextDecoder().decode(ledger[k]!.body))
  const { seq, prev, schema: _, doctrine: __, ...rest } = value
  return utf8Encode(bodyText(bodyTemplate({ ...rest, payload: { n: -1 } }, null), prev, seq))
}

test('an untouched ledger walks to its head, its root and the heads of its chains', () => {
  const report = verifyChain(withSignatures(ledger.slice(0, 50)).concat(ledger.slice(50)), {
    expected: { size: SIZE, root },
  })
  assert.deepEqual([report.ok, report.from, report.count, report.root, report.broken], [true, 0, SIZE, root, null])
  for (const head of report.heads) {
    const last = ledger.findLast(({ organ }) => organ === head.chain)!
    assert.deepEqual([head.head_digest, head.lake_head], [sha256Hex(last.body), last.lake])
    assert.equal(head.depth, ledger.filter(({ organ }) => organ === head.chain).length)
  }
  assert.equal(report.heads.length, new Set(ledger.map(({ organ }) => organ)).size)
})

test('a walk that stops and goes on from its state ends as one walk', () => {
  const state = JSON.parse(JSON.stringify(states[617]!)) as WalkState
  const resumed = verifyChain(ledger.slice(617), { from: state, expected: { size: SIZE, root } })
  assert.deepEqual({ ...resumed, from: 0 }, verifyChain(ledger, { expected: { size: SIZE, root } }))
  assert.equal(resumed.from, 617)
})

test('the state grows with the chains and not with the receipts', () => {
  const sizes = [200, 900].map((k) => JSON.stringify(states[k]).length)
  assert.ok(Math.abs(sizes[1]! - sizes[0]!) < 1_000, String(sizes))
})

test('altering a receipt at any of 1,000 positions is found there, by signature and by lake hash', () => {
  for (let k = 0; k < SIZE; k += 1) {
    const entry = { ...ledger[k]!, body: altered(k) }
    const bySignature = brokenFrom(k, withSignatures([entry]))
    assert.deepEqual([bySignature?.broken_at, bySignature?.reason], [k, 'signature_invalid'])
    const byLake = brokenFrom(k, [entry])
    assert.deepEqual([byLake?.broken_at, byLake?.reason, byLake?.chain], [k, 'lake_mismatch', ledger[k]!.organ])
    const byDigest = brokenFrom(k, [{ node_index: k, body: entry.body, digest: sha256Hex(ledger[k]!.body) }])
    assert.deepEqual([byDigest?.broken_at, byDigest?.reason], [k, 'digest_mismatch'])
  }
})

test('an altered body with nothing stored beside it breaks the next link of its chain, or the root at the end', () => {
  for (let k = 0; k < SIZE; k += 37) {
    const bare = ledger.slice(k).map(({ node_index, body }) => ({ node_index, body }))
    const found = brokenFrom(k, [{ node_index: k, body: altered(k) }, ...bare.slice(1)])
    const next = nextOfChain(k)
    const expected = next < 0 ? [null, 'root_mismatch'] : [next, 'prev_mismatch']
    assert.deepEqual([found?.broken_at, found?.reason], expected)
  }
})

test('deleting a receipt at any of 1,000 positions is found there', () => {
  for (let k = 0; k < SIZE; k += 1) {
    const found = brokenFrom(k, ledger.slice(k + 1))
    assert.deepEqual([found?.broken_at, found?.reason], [k, k === SIZE - 1 ? 'missing' : 'index_gap'])
  }
})

test('deleting and renumbering is found at the next receipt of that chain, or at the end', () => {
  for (let k = 0; k < SIZE; k += 13) {
    const entries = renumbered(ledger.toSpliced(k, 1)).slice(k)
    const next = nextOfChain(k)
    const found = brokenFrom(k, entries)
    const expected = next < 0 ? [SIZE - 1, 'missing'] : [next - 1, 'seq_gap']
    assert.deepEqual([found?.broken_at, found?.reason], expected)
  }
})

test('swapping two neighbours at any of 999 positions is found at the first of them', () => {
  for (let k = 0; k + 1 < SIZE; k += 1) {
    const found = brokenFrom(k, [ledger[k + 1]!, ledger[k]!])
    assert.deepEqual([found?.broken_at, found?.reason], [k, 'index_gap'])
  }
})

test('swapping and renumbering is found at the first where the chain or the stored leaf says so, else by the root', () => {
  let byRoot = 0
  for (let k = 0; k + 1 < SIZE; k += 11) {
    const swapped = renumbered(ledger.with(k, ledger[k + 1]!).with(k + 1, ledger[k]!)).slice(k)
    const found = brokenFrom(k, swapped)
    const sameChain = ledger[k]!.organ === ledger[k + 1]!.organ
    assert.deepEqual([found?.broken_at, found?.reason], sameChain ? [k, 'seq_gap'] : [null, 'root_mismatch'])
    byRoot += Number(!sameChain)
    const leaves = swapped.map((entry) => ({ ...entry, leaf: hexEncode(leafHash(ledger[entry.node_index]!.body)) }))
    assert.deepEqual([brokenFrom(k, leaves)?.broken_at, brokenFrom(k, leaves)?.reason], [k, 'leaf_mismatch'])
  }
  assert.ok(byRoot > 10)
})

test('duplicating a receipt at any of 1,000 positions is found at the copy', () => {
  for (let k = 0; k < SIZE; k += 1) {
    const found = brokenFrom(k, [ledger[k]!, ledger[k]!])
    assert.deepEqual([found?.broken_at, found?.reason], [k + 1, 'index_gap'])
    const again = brokenFrom(k, [ledger[k]!, { ...ledger[k]!, node_index: k + 1 }])
    assert.deepEqual([again?.broken_at, again?.reason], [k + 1, 'seq_gap'])
  }
})

/** The best an attacker without the key can do: right index, right links, right lake hash, somebody else's signature. */
function forged(k: number): Stored {
  const organ = ledger[k]!.organ
  const head = states[k]!.chains.find(({ chain }) => chain === organ)
  const { entry } = linked(
    { ...drafts[k]!, payload: { forged: true } },
    organ,
    head
      ? { seq: head.depth, digest: head.head_digest, lake: head.lake_head }
      : { seq: 0, digest: GENESIS_PREV, lake: GENESIS_PREV },
  )
  return { ...entry, node_index: k, organ, signature: ledger[k]!.signature }
}

test('inserting a forged receipt at any of 1,000 positions is found there by its signature', () => {
  for (let k = 0; k < SIZE; k += 1) {
    const found = brokenFrom(k, withSignatures([forged(k)]))
    assert.deepEqual([found?.broken_at, found?.reason], [k, 'signature_invalid'])
  }
})

test('inserting a forged receipt that nobody signed is found at the receipt it pushes aside', () => {
  for (let k = 0; k < SIZE; k += 1) {
    const found = brokenFrom(k, [forged(k), { ...ledger[k]!, node_index: k + 1 }])
    assert.deepEqual([found?.broken_at, found?.reason], [k + 1, 'seq_gap'])
  }
})

test('re-hashing forward without the key is found at the first rewritten index', () => {
  for (const k of [0, 1, 2, 250, 617, 998, 999]) {
    const rewritten = placed(drafts.with(k, draft(k, { n: 'rewritten' })), (_, i) => ledger[i]!.signature)
    const found = brokenFrom(k, withSignatures(rewritten.slice(k, k + 3)))
    assert.deepEqual([found?.broken_at, found?.reason], [k, 'signature_invalid'])
    const unsigned = brokenFrom(k, rewritten.slice(k))
    assert.deepEqual([unsigned?.broken_at, unsigned?.reason], [null, 'root_mismatch'])
  }
})

test('a signature that is refuted after the walk moves the break to the earlier place and never to a later one', () => {
  const walker = new ChainWalker()
  for (const entry of ledger.slice(0, 20)) walker.push(entry)
  walker.push(ledger[25]!)
  assert.equal(walker.broken?.broken_at, 20)
  const late = { broken_at: 7, chain: 'x', seq: 1, reason: 'signature_invalid', expected: null, found: null } as const
  walker.condemn({ ...late, broken_at: 22 })
  assert.equal(walker.broken?.broken_at, 20)
  walker.condemn(late)
  assert.equal(walker.finish().broken?.broken_at, 7)
})

test('bytes that are not the canonical form of a receipt break the walk where they stand', () => {
  const text = new TextDecoder().decode(ledger[0]!.body)
  const bodies: [string, string][] = [
    [`${text} `, 'not_canonical'],
    [text.replace('"seq":0', '"seq":0.0'), 'not_canonical'],
    [text.replace('"ns":"public"', '"ns":"public","ns":"public"'), 'not_canonical'],
    [text.replace('"kind":"sample"', '"kind":"gospel"'), 'not_a_receipt'],
    ['[]', 'not_a_receipt'],
    ['', 'not_canonical'],
    [text.replace('"n":0', `"n":"${'x'.repeat(70_000)}"`), 'not_a_receipt'],
  ]
  for (const [body, reason] of bodies) {
    const { broken } = verifyChain([{ node_index: 0, body: utf8Encode(body) }])
    assert.deepEqual([broken?.broken_at, broken?.reason], [0, reason])
    assert.match(describeBreak(broken!), /at index 0$/)
  }
})

test('a ledger that goes on beyond the expected size is broken at that size', () => {
  const { broken } = verifyChain(ledger.slice(0, 9), { expected: { size: 5, root } })
  assert.deepEqual([broken?.broken_at, broken?.reason], [5, 'beyond_size'])
})

test('restoring a state that never was one is misuse', () => {
  assert.throws(() => new ChainWalker({ size: 3, frontier: ['00'.repeat(32)], chains: [] }), RangeError)
  assert.throws(() => new ChainWalker({ size: 1, frontier: ['zz'], chains: [] }), RangeError)
})

test('any bytes under any index end in a break and never in an exception', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer(), (body, node_index) => {
      assert.equal(verifyChain([{ node_index, body }]).ok, false)
    }),
    { seed: 1 },
  )
})
