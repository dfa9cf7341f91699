import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InputError } from '../../errors.ts'
import { roiModel } from './roi-model.ts'
import { ROI_VERTICALS, type RoiParameters } from './schemas.ts'

const faultsOf = (query: RoiParameters) => {
  try {
    roiModel(query)
  } catch (error) {
    if (error instanceof InputError) return error.detail.map(({ loc, type }) => [loc.at(-1), type])
    throw error
  }
  return []
}

test('the illustrative figures of five verticals avoid 67260000.00 together', () => {
  const { rows, total } = roiModel({})
  assert.deepEqual(
    rows.map(({ id, exposure, avoided, illustrative }) => [id, exposure, avoided, illustrative]),
    [
      ['defense', '50000000.00', '30000000.00', true],
      ['finance', '26700000.00', '18690000.00', true],
      ['legal', '6000000.00', '3900000.00', true],
      ['enterprise', '17800000.00', '13350000.00', true],
      ['realestate', '2400000.00', '1320000.00', true],
    ],
  )
  assert.equal(total.avoided, '67260000.00')
  assert.equal(total.net, '67260000.00')
  for (const { inputs } of rows) for (const { source } of Object.values(inputs)) assert.equal(source, 'DEFAULT')
})

test('what governance costs is taken off once and not per row', () => {
  const { total } = roiModel({ governance_cost_usd: 70_000_000.5 })
  assert.deepEqual([total.avoided, total.net], ['67260000.00', '-2740000.50'])
})

test('an assumption of the caller replaces that one of its vertical and is marked', () => {
  const { rows } = roiModel({ vertical: 'legal', catch_rate: 0.1 })
  assert.equal(rows.length, 1)
  const { inputs, illustrative, ...row } = rows[0]!
  assert.deepEqual(inputs, {
    cost_of_failure_usd: { value: '2000000.00', source: 'DEFAULT' },
    annual_events: { value: 3, source: 'DEFAULT' },
    catch_rate: { value: 0.1, source: 'CALLER' },
    catch_rate_low: { value: 0, source: 'DEFAULT' },
    catch_rate_high: { value: 0.3, source: 'DEFAULT' },
  })
  assert.deepEqual(row, {
    id: 'legal',
    exposure: '6000000.00',
    avoided: '600000.00',
    avoided_low: '0.00',
    avoided_high: '1800000.00',
  })
  assert.equal(illustrative, true)
})

test('assumptions of one’s own about no vertical are one row, and none of them is ours', () => {
  const { rows, total } = roiModel({ cost_of_failure_usd: 0.1, annual_events: 3, catch_rate: 1 })
  assert.deepEqual([rows.length, rows[0]!.id, rows[0]!.illustrative], [1, 'custom', false])
  assert.deepEqual([rows[0]!.avoided_low, rows[0]!.avoided, rows[0]!.avoided_high], ['0.24', '0.30', '0.30'])
  assert.equal(total.avoided, '0.30')
})

const misfits: [what: string, query: RoiParameters, faults: [string, string][]][] = [
  [
    'a cost alone',
    { cost_of_failure_usd: 5 },
    [
      ['annual_events', 'missing'],
      ['catch_rate', 'missing'],
    ],
  ],
  [
    'a rate alone',
    { catch_rate: 0.5 },
    [
      ['cost_of_failure_usd', 'missing'],
      ['annual_events', 'missing'],
    ],
  ],
  [
    'only an end of the interval',
    { catch_rate_low: 0 },
    [
      ['cost_of_failure_usd', 'missing'],
      ['annual_events', 'missing'],
      ['catch_rate', 'missing'],
    ],
  ],
  ['a low end above the rate', { vertical: 'finance', catch_rate_low: 0.71 }, [['catch_rate_low', 'range']]],
  ['a high end below the rate', { vertical: 'finance', catch_rate_high: 0.69 }, [['catch_rate_high', 'range']]],
]
for (const [what, query, faults] of misfits)
  test(`${what} is refused where it stands`, () => assert.deepEqual(faultsOf(query), faults))

test('ends of the interval that meet the rate are taken', () => {
  const { rows } = roiModel({ vertical: 'finance', catch_rate_low: 0.7, catch_rate_high: 0.7 })
  assert.deepEqual([rows[0]!.avoided_low, rows[0]!.avoided_high], ['18690000.00', '18690000.00'])
})

/** Whole numbers alone, so that no fraction of two can be what is compared with. */
test('the arithmetic is exact to the cent, halves up, for any assumptions', () => {
  const cents = fc.integer({ min: 0, max: 1e14 })
  const events = fc.integer({ min: 0, max: 1e6 })
  const thousandths = fc.integer({ min: 0, max: 1000 })
  fc.assert(
    fc.property(fc.constantFrom(...ROI_VERTICALS), cents, events, thousandths, (vertical, cost, count, rate) => {
      const asked = { vertical, cost_of_failure_usd: cost / 100, annual_events: count, catch_rate: rate / 1000 }
      const { exposure, avoided, avoided_low, avoided_high } = roiModel(asked).rows[0]!
      const whole = BigInt(cost) * BigInt(count)
      const shared = (share: number) => decimalOf((whole * BigInt(share) + 500n) / 1000n)
      assert.equal(exposure, decimalOf(whole))
      assert.equal(avoided, shared(rate))
      assert.equal(avoided_low, shared(Math.max(0, rate - 200)))
      assert.equal(avoided_high, shared(Math.min(1000, rate + 200)))
    }),
    { seed: 3 },
  )
})

const decimalOf = (cents: bigint): string => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`
