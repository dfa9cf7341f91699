import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sha256Hex } from '@orch/core'
import fc from 'fast-check'
import { deriveEffects } from './effects.ts'
import { IntegrityWalker, type StoredHead } from './integrity.ts'
import type { SessionHead, StateEntry } from './integrity-faults.ts'
import { FIRST_PREV, type StateRecord, stateHash } from './state.ts'
import type { WalkedVerdict } from './verdicts.ts'

/** Ten records of two sessions in turn, one denied and one under review among them. */
function records(count = 10): StateEntry[] {
  const entries: StateEntry[] = []
  for (let index = 0; index < count; index++) {
    const before = entries[index - 2]
    const decision = index === 4 ? 'deny' : index === 5 ? 'review' : 'allow'
    const record: StateRecord = {
      schema: 'orch.gdw.state/v1',
      namespace: 'local',
      owner_id: 'owner',
      session_id: index % 2 === 0 ? 'one' : 'two',
      step: Math.floor(index / 2) + 1,
      prev_state_hash: before?.state_hash ?? FIRST_PREV,
      request_digest: sha256Hex(`request ${index}`),
      decision,
      mode: 'kda_local',
      estimate: 10_000 + index,
      spent: (before?.record.spent ?? 0) + (decision === 'allow' ? 10_000 + index : 0),
      budget: 350_000,
      granted: 0,
      policy_sha256: sha256Hex('policies'),
      risk_model: 'orch.gdw.risk/v1',
    }
    entries.push(entryOf(index, record, before))
  }
  return entries
}

function entryOf(index: number, record: StateRecord, before: StateEntry | undefined): StateEntry {
  const digest = sha256Hex(`receipt ${index}`)
  const { decision, request_digest, prev_state_hash } = record
  const effects = deriveEffects(record, digest, decision === 'review' ? { review_id: 'r' } : null)
  return {
    index,
    record,
    state_hash: stateHash(record),
    receipt: {
      digest,
      node_index: 7 * index,
      computed_digest: digest,
      signature_valid: true,
      session_prev_receipt: before?.receipt?.digest ?? FIRST_PREV,
      state_before_hash: prev_state_hash,
      state_hash: stateHash(record),
      request_digest,
      decision,
      review_id: decision === 'review' ? 'r' : null,
      approved_by: null,
    },
    intact: true,
    verdicts: [],
    effects: effects.map((effect) => ({ ...effect, lawful: true, artifact: 'same' as const })),
  }
}

function walk(entries: readonly StateEntry[]) {
  const walker = new IntegrityWalker()
  for (const entry of entries) walker.push(entry)
  return walker
}

/** As the session rows say it where nothing was edited. */
const storedHeads = (heads: readonly SessionHead[], verdicts: StoredHead['verdicts'] = []): StoredHead[] =>
  heads.map(({ reviews, ...head }) => ({ ...head, pending_reviews: reviews?.length ?? 0, verdicts, intact: true }))

const brokenAt = (entries: readonly StateEntry[]) => walk(entries).state().first_broken
const altered = (at: number, change: (entry: StateEntry) => StateEntry): StateEntry[] =>
  records().map((entry, index) => (index === at ? change(structuredClone(entry)) : entry))

test('an untouched store is intact, and its heads are those kept elsewhere', () => {
  const walker = walk(records())
  walker.compareHeads(storedHeads(walker.state().heads))
  assert.equal(walker.state().first_broken, null)
  assert.deepEqual(new Set(Object.values(walker.state().invalid)), new Set([0]))
})

const changes: [what: string, kind: string, change: (entry: StateEntry) => StateEntry][] = [
  ['a field of a state', 'state_hash', (e) => ({ ...e, record: { ...e.record, mode: 'mla_global' } })],
  ['a state hash', 'state_hash', (e) => ({ ...e, state_hash: 'ff'.repeat(32) })],
  ['a step number', 'step_gap', (e) => ({ ...e, record: { ...e.record, step: 9 } })],
  ['a receipt digest', 'receipt_digest', (e) => ({ ...e, receipt: { ...e.receipt!, digest: 'ff'.repeat(32) } })],
  [
    'a receipt of another state',
    'receipt_digest',
    (e) => ({ ...e, receipt: { ...e.receipt!, state_hash: FIRST_PREV } }),
  ],
  [
    'a link between receipts',
    'link',
    (e) => ({ ...e, receipt: { ...e.receipt!, session_prev_receipt: 'ee'.repeat(32) } }),
  ],
  ['a signature', 'signature', (e) => ({ ...e, receipt: { ...e.receipt!, signature_valid: false } })],
  ['what is remembered beside a record', 'state_hash', (e) => ({ ...e, intact: false })],
  ['a way back to the step before', 'spent', (e) => ({ ...e, verdicts: null })],
  ['verdicts that do not approve it', 'link', (e) => ({ ...e, receipt: { ...e.receipt!, approval_holds: false } })],
  ['an approval nobody gave', 'spent', (e) => ({ ...e, receipt: { ...e.receipt!, approved_by: 'r' } })],
  [
    'the progress of an effect',
    'effect_binding',
    (e) => ({ ...e, effects: e.effects.map((x) => ({ ...x, lawful: false })) }),
  ],
  ['a lost receipt', 'missing_receipt', (e) => ({ ...e, receipt: null })],
  ['an effect that is gone', 'effect_binding', (e) => ({ ...e, effects: e.effects.slice(1) })],
  ['an effect too many', 'effect_binding', (e) => ({ ...e, effects: [...e.effects, e.effects[0]!] })],
  [
    'a payload',
    'effect_binding',
    (e) => ({ ...e, effects: e.effects.map((x) => ({ ...x, payload: { other: true } })) }),
  ],
  [
    'an exported file',
    'exported_artifact',
    (e) => ({ ...e, effects: e.effects.map((x) => ({ ...x, artifact: 'different' as const })) }),
  ],
]
for (const [what, kind, change] of changes)
  test(`${what} altered is named with its index and kind`, () => {
    for (const at of [0, 4, 5, 9]) {
      const found = brokenAt(altered(at, change))
      assert.deepEqual([found?.index, found?.kind], [at, kind], `at ${at}`)
    }
  })

test('a charge moved from one step to another is found though every hash was made anew', () => {
  const entries = records()
  const entry = entries[2]!
  entries[2] = entryOf(2, { ...entry.record, spent: entry.record.spent - 5 }, entries[0])
  assert.deepEqual(brokenAt(entries)?.kind, 'spent')
  assert.equal(brokenAt(entries)?.index, 2)
})

test('a raised budget and an overdrawn one are found though every hash was made anew', () => {
  for (const change of [{ budget: 400_000 }, { granted: 700_000 }, { budget: 10_000 }, { estimate: -1 }]) {
    const entries = records()
    entries[2] = entryOf(2, { ...entries[2]!.record, ...change }, entries[0])
    assert.deepEqual([brokenAt(entries)?.index, brokenAt(entries)?.kind], [2, 'spent'])
  }
})

test('deleting, swapping, doubling or inserting any one record names the place', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), fc.constantFrom('delete', 'swap', 'double', 'insert'), (at, how) => {
      const all = records()
      const [one, other] = [all[at]!, all[at + 1]!]
      const entries = {
        delete: all.toSpliced(at, 1),
        swap: all.toSpliced(at, 2, { ...other, index: at }, { ...one, index: at + 1 }),
        double: all.toSpliced(at + 1, 0, one),
        insert: all.toSpliced(at, 0, { ...other, index: at }),
      }[how]!
      const found = brokenAt(entries)
      assert.ok(found, how)
      const expected = { delete: [at + 1], swap: [at, at + 1, at + 2, at + 3], double: [at], insert: [at, at + 1] }[
        how
      ]!
      assert.ok(expected.includes(found.index), `${how} at ${at} named at ${found.index}`)
    }),
    { seed: 10 },
  )
})

test('a tail that was cut off shows against the heads, a receipt without its state by itself', () => {
  const expected = storedHeads(walk(records()).state().heads)
  const short = walk(records().slice(0, 9))
  assert.equal(short.state().first_broken, null)
  short.compareHeads(expected)
  assert.deepEqual([short.state().first_broken?.index, short.state().first_broken?.kind], [9, 'step_gap'])
  const orphaned = walk(records().slice(0, 9))
  orphaned.orphan(9)
  assert.equal(orphaned.state().orphan_receipts, 1)
})

test('a walk resumed where another stopped ends where a full one ends', () => {
  const intact = JSON.parse(JSON.stringify(walk(records().slice(0, 6)).state()))
  const resumed = new IntegrityWalker(intact)
  for (const entry of records().slice(6)) resumed.push(entry)
  assert.deepEqual(resumed.state(), walk(records()).state())
})

const verdict: WalkedVerdict = {
  ...{ review_id: 'r', approved: true, reviewed: sha256Hex('receipt 5'), step: 3, estimate: 10_005, grant: 0 },
  signature_valid: true,
}

/** The review of the sixth record approved, and the approval used by the eighth. */
function approvedRecords(change: Partial<WalkedVerdict> = {}, estimate = 10_005): StateEntry[] {
  const entries = records(7)
  const { request_digest } = entries[5]!.record
  const { record } = records(8)[7]!
  const spent = entries[5]!.record.spent + estimate
  const used = entryOf(7, { ...record, request_digest, estimate, spent }, entries[5])
  const receipt = { ...used.receipt!, approved_by: 'r' }
  return [...entries, { ...used, receipt, verdicts: [{ ...verdict, ...change }] }]
}

test('an approval that was given is used once, at the estimate of the step that was held', () => {
  const walker = walk(approvedRecords())
  assert.equal(walker.state().first_broken, null)
  assert.deepEqual(walker.state().heads[1]?.reviews, [])
  const again = approvedRecords().at(-1)!
  const record = { ...again.record, step: 5, prev_state_hash: again.state_hash, spent: again.record.spent + 10_005 }
  const twice = entryOf(8, record, again)
  walker.push({ ...twice, receipt: { ...twice.receipt!, approved_by: 'r' } })
  assert.deepEqual([walker.state().first_broken?.index, walker.state().first_broken?.kind], [8, 'spent'])
})

const forgeries: [what: string, entries: StateEntry[]][] = [
  ['another charge than was approved', approvedRecords({}, 0)],
  ['a verdict that granted more than was missing', approvedRecords({ grant: 1 })],
  ['a verdict that gave back', approvedRecords({ grant: -1 })],
  ['a verdict on another step', approvedRecords({ step: 2 })],
  ['a verdict on another receipt', approvedRecords({ reviewed: FIRST_PREV })],
  ['a verdict at another estimate', approvedRecords({ estimate: 0 })],
  ['a denial used as an approval', approvedRecords({ approved: false })],
]
for (const [what, entries] of forgeries)
  test(`${what} is found where it was used`, () => {
    assert.deepEqual([brokenAt(entries)?.index, brokenAt(entries)?.kind], [7, 'spent'])
  })

test('a verdict without its signature is found where it was used', () => {
  const found = brokenAt(approvedRecords({ signature_valid: false }))
  assert.deepEqual([found?.index, found?.kind], [7, 'signature'])
})

test('a head that grants itself risk, or that people never settled, is found', () => {
  const edits: [kind: string, edit: Partial<StoredHead>][] = [
    ['spent', { granted: 600_000 }],
    ['spent', { verdicts: [verdict, verdict] }],
    ['spent', { verdicts: null }],
    ['state_hash', { pending_reviews: -5 }],
    ['state_hash', { intact: false }],
  ]
  for (const [kind, edit] of edits) {
    const walker = walk(records())
    walker.compareHeads(storedHeads(walker.state().heads).map((head, at) => (at === 1 ? { ...head, ...edit } : head)))
    assert.deepEqual([walker.state().first_broken?.index, walker.state().first_broken?.kind], [10, kind])
  }
  const settled = walk(records())
  const heads = storedHeads(settled.state().heads)
  settled.compareHeads([heads[0]!, { ...heads[1]!, pending_reviews: 0, verdicts: [verdict] }])
  assert.equal(settled.state().first_broken, null, 'as the verdict left it')
})

test('what is wrong with a chain itself is named and belongs to no session', () => {
  const walker = walk(records(3))
  walker.broken('missing_receipt')
  assert.deepEqual(walker.state().first_broken, { session: null, index: 3, kind: 'missing_receipt' })
})

test('records of any JSON at all are reported and never thrown over', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9 }),
      fc.constantFrom<keyof StateRecord>('session_id', 'step', 'spent', 'decision', 'namespace', 'estimate'),
      fc.jsonValue(),
      (at, field, value) => {
        const found = walk(
          altered(at, (entry) => ({ ...entry, record: { ...entry.record, [field]: value } as StateRecord })),
        )
        const same = records()[at]!.record[field] === value
        assert.equal(found.state().first_broken === null, same)
      },
    ),
    { seed: 11 },
  )
})
