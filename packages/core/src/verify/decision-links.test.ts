import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8Encode } from '../encoding.ts'
import { DecisionLinks } from './decision-links.ts'

const POLICY = { rules_digest: 'r', policy_digest: 'p' }
const INPUT = 'ab'.repeat(32)

/** A ledger of receipts that the walk found to link; only what the links look at is filled in. */
function ledger(max?: number) {
  const links = new DecisionLinks(max)
  let at = 0
  const push = (kind: string, payload: object, { ns = 'public', owner = 'local', ms = 0 } = {}) => {
    const digest = String(at++).padStart(64, '0')
    const body = { kind, ns, actor: { owner }, policy: POLICY, ts_utc: new Date(ms).toISOString(), payload }
    return { digest, fault: links.push(utf8Encode(JSON.stringify(body)), digest) }
  }
  const opened = push('decision', { decision: 'REVIEW', review_id: 'rev_1' }).digest
  const verdict = (vote: number, more: object = {}) =>
    push('review', {
      ...{ review_id: 'rev_1', verdict: 'approve', reviewer: `person ${vote}`, reviewed_digest: opened, vote },
      ...{ input_sha256: INPUT, required_approvals: 1, state_after: 'approved', ...more },
    })
  const lifted = (receipts: readonly string[] | null, more: object = {}, kind = 'decision') => {
    const approval = receipts && { review_id: 'rev_1', input_sha256: INPUT, ...POLICY, receipts, ...more }
    return push(kind, { decision: 'ALLOW', reasons: ['APPROVED_BY_REVIEW'], ...(approval && { approval }) }).fault
  }
  const charge = (spent_before: number | null, spent_after: number, hours = 0, owner = 'local') =>
    push('decision', { session_budget: { session: 's', spent_before, spent_after } }, { owner, ms: hours * 3_600_000 })
      .fault
  return { push, opened, verdict, lifted, charge }
}

test('a decision that names the verdicts which approved it is borne out, once', () => {
  const { verdict, lifted } = ledger()
  const { digest, fault } = verdict(1)
  assert.equal(fault, null)
  assert.equal(lifted([digest]), null)
  assert.match(String(lifted([digest])), /rev_1 let it through, and that approval was used before/)
})

test('two receipts of one request name one approval where one of them says that the other uses it', () => {
  const { verdict, lifted } = ledger()
  const { digest } = verdict(1)
  assert.equal(lifted([digest], { used: false }), null)
  assert.equal(lifted([digest], {}, 'inference'), null)
  assert.equal(lifted([digest], { used: false }, 'inference'), null)
})

test('verdicts that are missing, too few, of one person, denying or of another request bear nothing out', () => {
  assert.match(String(ledger().lifted(['f'.repeat(64)])), /no verdict on it was recorded before/)
  const none = ledger()
  none.verdict(1)
  assert.match(String(none.lifted([])), /do not approve/)
  assert.match(String(none.lifted(['f'.repeat(64)])), /do not approve/)
  const half = ledger()
  const first = half.verdict(1, { required_approvals: 2, state_after: 'pending' })
  assert.match(String(half.lifted([first.digest])), /do not approve/)
  const twice = half.verdict(2, { required_approvals: 2, reviewer: 'person 1' })
  assert.match(String(half.lifted([first.digest, twice.digest])), /do not approve/)
  const denied = ledger()
  const no = denied.verdict(1, { verdict: 'deny', state_after: 'denied' })
  assert.match(String(denied.lifted([no.digest])), /do not approve/)
  for (const other of [{ input_sha256: 'cd'.repeat(32) }, { rules_digest: 'x' }, { policy_digest: 'x' }]) {
    const { verdict, lifted } = ledger()
    assert.match(String(lifted([verdict(1).digest], other)), /approve another request/)
  }
})

test('two people are two people', () => {
  const { verdict, lifted } = ledger()
  const votes = [
    verdict(1, { required_approvals: 2, state_after: 'pending' }).digest,
    verdict(2, { required_approvals: 2 }).digest,
  ]
  assert.match(String(lifted([...votes].reverse())), /do not approve/)
  assert.equal(lifted(votes), null)
})

test('a review that was put back and decided again is found at the second verdict', () => {
  const denied = ledger()
  denied.verdict(1, { verdict: 'deny', state_after: 'denied' })
  assert.match(String(denied.verdict(1).fault), /closed before/)
  const open = ledger()
  open.verdict(1, { required_approvals: 2, state_after: 'pending' })
  assert.match(String(open.verdict(1, { required_approvals: 2 }).fault), /is verdict 1 .* has 1/)
  assert.match(String(open.verdict(2, { input_sha256: 'cd'.repeat(32) }).fault), /another request/)
})

test('a verdict names the receipt that opened its review, and no other', () => {
  const { push, verdict, opened } = ledger()
  const again = push('decision', { decision: 'REVIEW', review_id: 'rev_1' }).digest
  for (const reviewed_digest of [again, 'f'.repeat(64), undefined])
    assert.match(
      String(verdict(1, { reviewed_digest }).fault),
      /rev_1 and names another receipt than the one that opened/,
    )
  assert.equal(verdict(1, { reviewed_digest: opened }).fault, null)
  assert.match(String(verdict(1, { review_id: 'rev_2' }).fault), /rev_2 and names another receipt/)
  const minted = push('mint', { review_id: 'rev_3' }).digest
  assert.match(String(verdict(1, { review_id: 'rev_3', reviewed_digest: minted }).fault), /another receipt/)
  const example = push('example', { example_of: 'decision', value: { review_id: 'rev_4' } }).digest
  assert.equal(verdict(1, { review_id: 'rev_4', reviewed_digest: example }).fault, null)
  assert.match(
    String(push('review', { review_id: 'rev_1', input_sha256: INPUT }, { ns: 'other' }).fault),
    /another receipt/,
  )
})

test('an approval that nobody used may expire, and one that was used may not', () => {
  const expiry = { verdict: 'expire', state_after: 'expired' }
  const unused = ledger()
  const { digest } = unused.verdict(1)
  assert.equal(unused.verdict(0, expiry).fault, null)
  assert.match(String(unused.lifted([digest])), /do not approve/)
  const used = ledger()
  used.lifted([used.verdict(1).digest])
  assert.match(String(used.verdict(0, expiry).fault), /closed before/)
})

test('a ledger from before approvals were named may have decisions without; after the first that names one it may not', () => {
  const { verdict, lifted } = ledger()
  assert.equal(lifted(null), null)
  assert.equal(lifted([verdict(1).digest]), null)
  assert.match(String(lifted(null)), /names no verdict/)
})

test('what a caller minted is no verdict and no decision', () => {
  const { push, lifted } = ledger()
  push('mint', { review_id: 'rev_1', verdict: 'approve', statement: { kind: 'review', APPROVED_BY_REVIEW: true } })
  assert.equal(push('mint', { decision: 'ALLOW', reasons: ['APPROVED_BY_REVIEW'], approval: {} }).fault, null)
  assert.match(String(lifted(['0'.repeat(64)])), /no verdict/)
})

test('a charge goes on from the one before; of another owner, or after a day, it begins anew', () => {
  const { charge } = ledger()
  assert.equal(charge(0, 10), null)
  assert.equal(charge(0, 5, 0, 'somebody else'), null)
  assert.equal(charge(10, 30, 1), null)
  assert.equal(charge(40, 50, 2), null, 'what was reserved without a receipt is more, never less')
  assert.match(String(charge(49, 60, 3)), /had spent 50 millionths before, .* were 49/)
  assert.equal(charge(0, 10, 26), null)
  assert.equal(charge(null, 5, 27), null, 'an earlier version said so where nothing was stored')
  assert.match(String(charge(0, 5, 28)), /had spent 5 millionths before, .* were 0/, 'a session that was emptied')
})

test('what was forgotten is not held against anybody', () => {
  const { verdict, lifted, push } = ledger(1)
  const { digest } = verdict(1)
  push('review', { review_id: 'rev_2', verdict: 'approve', vote: 1, input_sha256: INPUT, state_after: 'approved' })
  assert.equal(lifted([digest]), null)
})
