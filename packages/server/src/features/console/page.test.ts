import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unavailable } from '@orch/core'
import type { Overview } from './overview.ts'
import { consolePage } from './page.ts'
import { readPart } from './part.ts'

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>&amp;'
const AT = '2026-01-02T03:04:05.678Z'
const now = () => AT
const clock = { now: () => Date.parse(AT), monotonic: () => 0 }
const signal = new AbortController().signal
const read = <T>(value: T) => readPart({ source: HOSTILE, clock, signal, read: async () => value })
const setting = {
  places: { links: [], receipt: () => null, review: () => null, govern: '/govern' },
  origin: 'http://127.0.0.1:1',
  path: '/here',
  commit: null,
}
const refused = { state: 'refused' as const, ...unavailable(HOSTILE) }
const failed = { state: 'failed' as const, ...unavailable(HOSTILE) }

async function everyPartHostile(): Promise<Overview> {
  const check = { name: HOSTILE, outcome: 'FAILED' as const, blocking: true, reason: HOSTILE }
  const decision = {
    ...{ decision: 'DENY' as const, reasons: [HOSTILE], reasons_total: 3, kind: HOSTILE, operation: HOSTILE },
    ...{ owner: HOSTILE, ts_utc: HOSTILE, chain: HOSTILE, seq: 1, signed: 'demo' as const, digest: 'a'.repeat(64) },
    ...{ receipt_url: HOSTILE, verify_url: HOSTILE },
  }
  const review = {
    ...{ review_id: HOSTILE, operation: HOSTILE, reasons: [HOSTILE], requested_by: HOSTILE },
    ...{ created_at: HOSTILE, expires_at: HOSTILE, review_url: HOSTILE },
  }
  return {
    schema: 'orch.console/v1',
    access: { auth_mode: 'open', recognised: true, namespace: HOSTILE, owner: HOSTILE, note: HOSTILE },
    service: await read({
      ...{ ready: false, draining: false, production_ready: false, blocking: [HOSTILE], checks: [check] },
      checked_at: now(),
    }),
    ledger: await read({
      ...{ size: 1, root: 'b'.repeat(64), mode: 'DURABLE' as const, mode_meaning: HOSTILE },
      ...{ takes_receipts: false, read_only_reason: HOSTILE, rolled_back: true },
    }),
    signer: await read({
      ...{ status: 'DEMO' as const, signing_available: true, key_kind: 'demo' as const },
      ...{ meaning: HOSTILE, fingerprint: HOSTILE, tested_at: HOSTILE },
    }),
    decisions: await read({ items: [decision], order: 'newest first' as const, scanned: 1, size: 1, unreadable: 1 }),
    reviews: await read({
      ...{ namespace: HOSTILE, waiting: 10_001, counted_to: 10_000, oldest_seconds: 7_300, four_eyes: true },
      ...{ items: [review], order: 'newest first' as const },
    }),
    gates: await read({
      ...{ namespace: HOSTILE, since: HOSTILE, in_charge: false, reason: HOSTILE },
      decisions: { allow: 1, review: 0, deny: 0 },
      verdicts: { allow: 0, review: 0, deny: 0 },
      output_scans: { allow: 0, review: 0, deny: 0 },
      gates: [{ name: HOSTILE, evaluated: 1, fired: 0, timed_out: 0, errors: 0 }],
    }),
    links: [],
    generated_at: now(),
  }
}

test('no text of anybody becomes markup, wherever it stands', async () => {
  const html = consolePage(await everyPartHostile(), setting)
  assert.ok(html.split('&lt;img src=x').length > 25, 'the hostile text is on the page')
  assert.doesNotMatch(html, /<img/)
  assert.equal(html.split('<script').length, 2, 'the theme’s script alone')
})

test('reasons of refusals and failures are text as well', async () => {
  const found = await everyPartHostile()
  const html = consolePage({ ...found, decisions: refused, reviews: failed, gates: refused, ledger: failed }, setting)
  assert.doesNotMatch(html, /<img/)
  assert.match(html, /<strong>Not shown:<\/strong> &quot;&gt;&lt;img/)
  assert.match(html, /<strong>Not read:<\/strong> &quot;&gt;&lt;img/)
})

test('what was cut short, passes the count or went wrong is said in words', async () => {
  const html = consolePage(await everyPartHostile(), setting)
  for (const words of [
    'and 2 more',
    'More than 10,000 reviews',
    'for 2 hours',
    'Each needs two people',
    '1 stored receipt cannot be read',
    'behind or unlike its last known checkpoint',
    'Nothing is decided now',
  ])
    assert.ok(html.includes(words), words)
})

test('no command is offered for a host that the operator does not answer for', async () => {
  const found = await everyPartHostile()
  const empty = await read({ items: [], order: 'newest first' as const, scanned: 0, size: 0, unreadable: 0 })
  assert.match(consolePage({ ...found, decisions: empty }, setting), /curl -s 'http:\/\/127\.0\.0\.1:1\/govern'/)
  assert.doesNotMatch(consolePage({ ...found, decisions: empty }, { ...setting, origin: null }), /curl|null/)
})
