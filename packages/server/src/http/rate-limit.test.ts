import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clientKey, rateLimiter } from './rate-limit.ts'

test('exactly the allowed number passes at once, then one for every part of the minute', () => {
  const limiter = rateLimiter(5)
  const verdicts = Array.from({ length: 7 }, () => limiter('a', 0).allowed)
  assert.deepEqual(verdicts, [true, true, true, true, true, false, false])
  assert.equal(limiter('a', 11_999).allowed, false)
  assert.equal(limiter('a', 12_000).allowed, true)
  assert.equal(limiter('a', 12_000).allowed, false)
})

test('a refusal says when the next request will pass', () => {
  const limiter = rateLimiter(5)
  for (let sent = 0; sent < 5; sent += 1) limiter('a', 0)
  assert.deepEqual(limiter('a', 0), { allowed: false, limit: 5, remaining: 0, resetSeconds: 12 })
  assert.equal(limiter('a', 11_500).resetSeconds, 1)
})

test('one key does not pay for another', () => {
  const limiter = rateLimiter(1)
  assert.equal(limiter('a', 0).allowed, true)
  assert.equal(limiter('b', 0).allowed, true)
  assert.equal(limiter('a', 0).allowed, false)
})

test('no minute ever lets more than twice the rate pass, whatever the pattern (seed 3)', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat(5000), { maxLength: 300 }), (rate, gaps) => {
      const limiter = rateLimiter(rate)
      let now = 0
      const passed: number[] = []
      for (const gap of gaps) {
        now += gap
        if (limiter('k', now).allowed) passed.push(now)
      }
      for (const start of passed)
        assert.ok(passed.filter((at) => at >= start && at < start + 60_000).length <= 2 * rate)
    }),
    { seed: 3 },
  )
})

test('a client with endless addresses cannot grow the table past its bound, and pushes out the oldest', () => {
  const limiter = rateLimiter(1, 100)
  assert.equal(limiter('first', 0).allowed, true)
  assert.equal(limiter('first', 0).allowed, false)
  for (let key = 0; key < 99; key += 1) limiter(`k${key}`, 0)
  assert.equal(limiter('first', 0).allowed, false, 'still remembered among 100')
  limiter('one more', 0)
  assert.equal(limiter('first', 0).allowed, true, 'forgotten when the bound was passed')
})

const keys: [address: string, key: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8::2', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
]
for (const [address, key] of keys)
  test(`${address} is counted as ${key}`, () => {
    assert.equal(clientKey(address), key)
  })

test('a full bucket lets the first request pass whatever fraction of a millisecond the clock shows', () => {
  for (let at = 0; at < 20_000; at++) {
    const now = 1234.5678 + at * 0.12345
    assert.equal(rateLimiter(1)('client', now).allowed, true, `${now}`)
  }
})
