import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseReply } from '../../adapters/outbound/json-reply.ts'
import { arePeriodsAligned, type CompanyFacts, parseCompanyFacts, selectMetric } from './company-facts.ts'

const SAMPLE = new URL('../../../../../../shared/corpora/sec/companyfacts_sample.json', import.meta.url)
const parsed = (reply: unknown, cik = '1'): CompanyFacts => {
  const found = parseCompanyFacts(reply, cik)
  assert.ok(found.ok, JSON.stringify(found))
  return found.value
}

type FactRow = CompanyFacts['rows'][number]
const METRIC_NAMES = ['revenue', 'net_income', 'assets', 'liabilities', 'stockholders_equity'] as const
const FIRST = 'RevenueFromContractWithCustomerExcludingAssessedTax'
const row = (concept: string, start: string | null, end: string, value: string, filed: string, more = {}): FactRow => ({
  ...{ taxonomy: 'us-gaap', concept, unit: 'USD', value, start, end, filed, form: '10-K' },
  ...{ fiscal_year: Number(filed.slice(0, 4)), accession: `0000000001-${filed.slice(2, 4)}-000001`, ...more },
})
const facts = (...rows: FactRow[]): CompanyFacts => ({
  entity: 'Example',
  rows,
  reported: [...new Set(rows.map(({ taxonomy, concept }) => `${taxonomy}:${concept}`))],
})
const A = row(FIRST, '2022-10-01', '2023-09-30', '1000', '2023-11-03')
const B = row(FIRST, '2023-07-02', '2023-09-30', '240', '2023-11-03')
const C = row('Revenues', '2023-10-01', '2024-09-28', '1100', '2024-11-01')
const D = row('SalesRevenueNet', '2016-09-25', '2017-09-30', '700', '2017-11-03')
const E = row(FIRST, '2023-10-01', '2024-09-28', '1105', '2025-10-31')

test('the revenue vector: restated, abandoned and quarterly rows', () => {
  const { metric } = selectMetric(facts(A, B, C, D, E), 'revenue')
  assert.deepEqual(
    [metric!.value, metric!.concept, metric!.duration_days, metric!.fiscal_year],
    ['1105', FIRST, 363, 2024],
  )
  assert.deepEqual(
    metric!.alternatives.map(({ value, concept, filed }) => [value, concept, filed]),
    [['1100', 'Revenues', '2024-11-01']],
  )
  const older = selectMetric(facts(A, B, D), 'revenue').metric!
  assert.deepEqual([older.value, older.duration_days, older.alternatives], ['1000', 364, []])
  assert.deepEqual(selectMetric(facts(B), 'revenue'), { metric: null, reason: 'NO_ANNUAL_PERIOD' })
  assert.deepEqual(selectMetric(facts(), 'revenue'), { metric: null, reason: 'CONCEPT_NOT_REPORTED' })
})

test('the order of the rows changes nothing', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([A, B, C, D, E], { minLength: 5 }), (rows) => {
      assert.deepEqual(selectMetric(facts(...rows), 'revenue'), selectMetric(facts(A, B, C, D, E), 'revenue'))
    }),
    { seed: 20260117 },
  )
})

test('a year has 350 to 380 days, both inclusive', () => {
  const start = Date.parse('2023-01-01')
  const after = (days: number) => new Date(start + days * 86_400_000).toISOString().slice(0, 10)
  for (const [days, counts] of [
    [349, false],
    [350, true],
    [380, true],
    [381, false],
  ] as const) {
    const { metric } = selectMetric(facts(row('Revenues', '2023-01-01', after(days), '1', '2025-01-01')), 'revenue')
    assert.equal(metric?.duration_days, counts ? days : undefined)
  }
})

test('a balance has no beginning and a flow has one', () => {
  const dated = row('Assets', '2023-01-01', '2023-12-31', '5', '2024-02-01')
  assert.equal(selectMetric(facts(dated), 'assets').reason, 'NO_ANNUAL_PERIOD')
  assert.equal(selectMetric(facts({ ...dated, start: null }), 'assets').metric?.value, '5')
  const open = row('NetIncomeLoss', null, '2023-12-31', '5', '2024-02-01')
  assert.equal(selectMetric(facts(open), 'net_income').reason, 'NO_ANNUAL_PERIOD')
})

test('the preferred concept wins only where period and filing date are equal', () => {
  const revenues = row('Revenues', '2023-01-01', '2023-12-31', '7', '2024-02-01')
  const preferred = { ...revenues, concept: FIRST, value: '8' }
  assert.equal(selectMetric(facts(revenues, preferred), 'revenue').metric!.value, '8')
  assert.equal(selectMetric(facts({ ...revenues, filed: '2024-02-02' }, preferred), 'revenue').metric!.value, '7')
})

test('a period that ends after its filing is a mistake of the filing and is not the newest year', () => {
  const typo = row(FIRST, '2202-10-01', '2203-09-30', '9', '2023-11-03')
  assert.equal(selectMetric(facts(A, typo), 'revenue').metric!.value, '1000')
})

test('dollars where there are any, else the currency with the newest end, and the others are named', () => {
  const euro = { ...A, unit: 'EUR', value: '900' }
  const yen = { ...C, concept: FIRST, unit: 'JPY', value: '90000' }
  assert.equal(selectMetric(facts(euro, A), 'revenue').metric!.currency, 'USD')
  const { metric } = selectMetric(facts(euro, yen), 'revenue')
  assert.deepEqual([metric!.currency, metric!.value], ['JPY', '90000'])
  assert.deepEqual(metric!.other_currencies, [{ currency: 'EUR', period_end: '2023-09-30' }])
  const translated = selectMetric(facts(A, yen), 'revenue').metric!
  assert.deepEqual(
    [translated.currency, translated.other_currencies],
    ['USD', [{ currency: 'JPY', period_end: '2024-09-28' }]],
  )
})

const absent = existsSync(SAMPLE) ? false : 'SKIPPED: ../shared absent'

test('the real file: five figures of one year in the terms of IFRS', { skip: absent }, () => {
  const reply = parseReply(readFileSync(SAMPLE), true)
  const found = parsed(reply, '1997711')
  const outcomes = METRIC_NAMES.map((name) => selectMetric(found, name))
  const values = outcomes.map(({ metric }) => [metric!.value, metric!.duration_days])
  assert.deepEqual(values, [
    ['43862372', 365],
    ['-19426051', 365],
    ['607019578', null],
    ['336218160', null],
    ['270801418', null],
  ])
  for (const { metric } of outcomes)
    assert.deepEqual(
      [metric!.period_end, metric!.form, metric!.filed, metric!.accession, metric!.fiscal_year, metric!.currency],
      ['2024-12-31', '20-F', '2025-04-02', '0001997711-25-000030', 2024, 'USD'],
    )
  assert.equal(arePeriodsAligned(outcomes), true)
  assert.deepEqual([found.entity, outcomes[0]!.metric!.taxonomy], ['Logistic Properties of the Americas', 'ifrs-full'])
  assert.deepEqual(parseCompanyFacts(reply, '320193'), { ok: false, fault: 'IDENTITY_MISMATCH' })
})

const page = (rows: unknown, concept = 'Assets', unit = 'USD', cik: unknown = '1') => ({
  ...{ cik, entityName: 'Example', facts: { 'us-gaap': { [concept]: { label: 'x', units: { [unit]: rows } } } } },
})
const good = {
  end: '2023-12-31',
  val: '5',
  accn: '0000000001-24-000001',
  fy: '2023',
  form: '10-K',
  filed: '2024-02-01',
}

test('a reply that is not what it claims is refused as a whole', () => {
  const cases: [reply: unknown, fault: string][] = [
    [[], 'INVALID_SOURCE_SCHEMA'],
    [{}, 'INVALID_SOURCE_SCHEMA'],
    [page([good], 'Assets', 'USD', '2'), 'IDENTITY_MISMATCH'],
    [page([good], 'Assets', 'USD', ''), 'INVALID_SOURCE_SCHEMA'],
    [page('x'), 'INVALID_SOURCE_SCHEMA'],
    [page([null]), 'INVALID_SOURCE_SCHEMA'],
    [page([{ ...good, val: null }]), 'INVALID_SOURCE_SCHEMA'],
    [page([{ ...good, val: '.' }]), 'INVALID_SOURCE_NUMBER'],
    [page([{ ...good, val: 'NaN' }]), 'INVALID_SOURCE_NUMBER'],
    [page([{ ...good, end: '2023-02-30' }]), 'INVALID_SOURCE_TIMESTAMP'],
    [page([{ ...good, filed: 'today' }]), 'INVALID_SOURCE_TIMESTAMP'],
    [page([{ ...good, start: '2023-13-01' }]), 'INVALID_SOURCE_TIMESTAMP'],
    [page([{ ...good, accn: '<b>' }]), 'INVALID_SOURCE_SCHEMA'],
  ]
  for (const [reply, fault] of cases) assert.deepEqual(parseCompanyFacts(reply, '1'), { ok: false, fault })
  assert.equal(selectMetric(parsed(page([good], 'Assets', 'USD', '0000000001')), 'assets').metric!.value, '5')
})

test('a company without a name and a report with a mistyped year are read, and neither is made up', () => {
  const { entityName: _, ...nameless } = page([good])
  for (const reply of [nameless, { ...nameless, entityName: null }, { ...nameless, entityName: '' }])
    assert.equal(parsed(reply).entity, null)
  for (const fy of ['0', '20233', 'FY23', null]) {
    const { metric } = selectMetric(parsed(page([{ ...good, fy }])), 'assets')
    assert.deepEqual([metric!.value, metric!.fiscal_year], ['5', null], `${fy}`)
  }
})

test('interim forms, shares and concepts that nobody asked for are left alone', () => {
  const shares = parsed(page([good], 'Assets', 'shares'))
  assert.equal(selectMetric(shares, 'assets').reason, 'NO_ANNUAL_PERIOD')
  const interim = parsed(
    page([
      { ...good, form: '10-Q' },
      { ...good, form: '10-KT' },
    ]),
  )
  assert.equal(selectMetric(interim, 'assets').reason, 'NO_ANNUAL_PERIOD')
  for (const form of ['10-K', '20-F', '40-F', '10-K/A', '20-F/A', '40-F/A'])
    assert.equal(selectMetric(parsed(page([{ ...good, form }])), 'assets').metric!.form, form)
  assert.deepEqual(parsed(page([good], 'AssetsCurrent')).rows, [])
  assert.deepEqual(parsed(page([good], '__proto__')).rows, [])
})

test('figures of different years are not aligned, and one alone is neither', () => {
  const assets = row('Assets', null, '2023-12-31', '1', '2024-02-01')
  const liabilities = row('Liabilities', null, '2022-12-31', '1', '2023-02-01')
  const outcomes = (...rows: FactRow[]) => METRIC_NAMES.map((name) => selectMetric(facts(...rows), name))
  assert.equal(arePeriodsAligned(outcomes(assets, liabilities)), false)
  assert.equal(arePeriodsAligned(outcomes(assets)), null)
  assert.equal(arePeriodsAligned(outcomes(assets, { ...liabilities, end: '2023-12-31', filed: '2024-02-01' })), true)
})

const madeUp = (name: string, cik: string): CompanyFacts =>
  parsed(parseReply(readFileSync(new URL(`../../../testing/finance/${name}.json`, import.meta.url)), true), cik)
const figures = (found: CompanyFacts) =>
  METRIC_NAMES.map((name) => {
    const { metric, reason } = selectMetric(found, name)
    if (metric === null) return [name, null, reason]
    const { value, currency, concept, period_end, fiscal_year, form, alternatives } = metric
    const others = alternatives.map((one) => [one.concept, one.value, one.filed])
    return [name, value, currency, concept, period_end, fiscal_year, form, others]
  })

test('a made-up file: quarters in annual reports, an amended year, a concept that was given up', () => {
  const equity = 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest'
  assert.deepEqual(figures(madeUp('companyfacts-restated', '99999')), [
    [
      ...['revenue', '1235.75', 'USD', FIRST, '2023-12-30', 2023, '10-K/A'],
      [
        [FIRST, '1250', '2024-02-23'],
        ['Revenues', '1260', '2024-02-23'],
      ],
    ],
    ['net_income', '95', 'USD', 'NetIncomeLoss', '2023-12-30', 2023, '10-K', [['ProfitLoss', '99', '2024-02-23']]],
    ['assets', '5400', 'USD', 'Assets', '2023-12-30', 2023, '10-K', []],
    ['liabilities', '3000', 'USD', 'Liabilities', '2023-12-30', 2023, '10-K', []],
    [
      ...['stockholders_equity', '2350', 'USD', 'StockholdersEquity', '2023-12-30', 2023, '10-K'],
      [[equity, '2400', '2024-02-23']],
    ],
  ])
})

test('a made-up file: from one taxonomy to another, in euros, with a half-year and a figure of another year', () => {
  const found = madeUp('companyfacts-euro', '88888')
  assert.deepEqual(figures(found), [
    ['revenue', '715', 'EUR', 'Revenue', '2024-12-31', 2024, '20-F/A', [['Revenue', '720', '2025-03-07']]],
    ['net_income', '-3.5', 'EUR', 'ProfitLoss', '2024-12-31', 2024, '20-F', []],
    ['assets', '1500', 'EUR', 'Assets', '2024-12-31', 2024, '20-F', []],
    ['liabilities', null, 'CONCEPT_NOT_REPORTED'],
    ['stockholders_equity', '600', 'EUR', 'Equity', '2023-12-31', 2023, '20-F', []],
  ])
  const outcomes = METRIC_NAMES.map((name) => selectMetric(found, name))
  assert.equal(arePeriodsAligned(outcomes), false)
  assert.deepEqual(outcomes[0]!.metric!.other_currencies, [{ currency: 'GBP', period_end: '2020-12-31' }])
})

test('whoever answers does not decide how long a reply is', () => {
  const many = Array.from({ length: 5000 }, (_, at) => ({ ...A, value: String(at), accession: `0000000001-23-${at}` }))
  const { metric } = selectMetric(facts(...many), 'revenue')
  assert.deepEqual([metric!.alternatives.length, metric!.alternatives_omitted], [20, 4979])
})
