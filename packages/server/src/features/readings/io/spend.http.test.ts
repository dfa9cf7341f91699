import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { localHosts } from '#testing/readings/local-hosts.ts'
import { reader } from '#testing/readings/reader.ts'

async function readOf(t: TestContext, report: object) {
  const hosts = await localHosts()
  hosts.pages.set('/spend', report)
  const more = { spend: { url: `${hosts.url}/spend`, token: null } }
  const { readings, background } = await reader(t, { hosts, more })
  await background.run('neighbour-round')
  return readings.spend()
}

const contradictions: [what: string, report: object][] = [
  ['a remainder that is not what is left', { cap_usd: 10, spent_usd: 2, remaining_usd: 9 }],
  ['a share that is not the share', { cap_usd: 10, spent_usd: 5, pct_used: 3 }],
  ['a fuse that is armed, not blown and over its cap', { cap_usd: 10, spent_usd: 20, armed: true, tripped: false }],
  ['all of it at once', { cap_usd: 10, spent_usd: 20, remaining_usd: -5, pct_used: 3, tripped: false }],
]
for (const [what, report] of contradictions)
  test(`a spending authority that tells ${what} is not believed in any of it`, async (t) => {
    const { value, mode, last_error } = await readOf(t, report)
    assert.deepEqual([value, mode, last_error?.code], [null, 'unreachable', 'INCONSISTENT_SOURCE'])
  })

const sound: [what: string, report: object][] = [
  ['figures that add up', { cap_usd: '10.00', spent_usd: '2.50', remaining_usd: '7.50', pct_used: 25, tripped: false }],
  ['rounded figures', { cap_usd: 3, spent_usd: 1, remaining_usd: '2.0', pct_used: 33 }],
  ['a debt', { cap_usd: 10, spent_usd: 12, remaining_usd: -2, pct_used: 120, armed: true, tripped: true }],
  ['a debt as nothing left', { cap_usd: 10, spent_usd: 12, remaining_usd: 0, armed: false, tripped: false }],
  ['a cap of nothing', { cap_usd: 0, spent_usd: 0, remaining_usd: 0, pct_used: 0 }],
  ['one figure alone', { pct_used: 40 }],
]
for (const [what, report] of sound)
  test(`a spending authority that tells ${what} is read`, async (t) => {
    const { value, last_error } = await readOf(t, report)
    assert.notEqual(value, null)
    assert.equal(last_error, null)
  })
