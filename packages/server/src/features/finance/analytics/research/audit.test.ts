import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { InputError } from '../../../../errors.ts'
import { read } from '../../../../platform/shape.ts'
import { auditPanel } from './audit.ts'
import { checkPanel } from './check.ts'
import { AUDIT_EXAMPLE } from './example.ts'
import { AuditBody, type AuditRecord, EXCLUSION_REASONS, RECORD_STATES } from './schemas.ts'

const record = (over: Partial<AuditRecord> = {}): AuditRecord => ({
  entity: 'A',
  period: 2021,
  value: '1',
  state: 'observed',
  available_at: '2022-01-01',
  ...over,
})
const panel = (records: AuditRecord[], over: Partial<AuditBody> = {}): AuditBody => ({
  records,
  as_of: '2023-12-31',
  ...over,
})

test('the example holds every reason once, and the duplicate twice', () => {
  const result = auditPanel(AUDIT_EXAMPLE)
  assert.deepEqual(
    result.exclusion_reasons.map(({ reason, records }) => [reason, records]),
    EXCLUSION_REASONS.map((reason) => [reason, reason === 'DUPLICATE_ENTITY_PERIOD' ? 2 : 1]),
  )
  assert.equal(result.status, 'BLOCKED')
  const { records, kept: retained, excluded, kept_percent, excluded_percent, zero_values } = result.summary
  assert.deepEqual([records, retained, excluded, kept_percent, excluded_percent], [9, 1, 8, '11.111111', '88.888889'])
  assert.equal(zero_values, 1)
  assert.deepEqual(result.summary.states, { observed: 6, suppressed: 1, missing: 1, invalid: 1 })
  const { cells: _, ...coverage } = result.coverage
  assert.deepEqual(coverage, {
    expected_cells: 6,
    recorded_cells: 6,
    observed_cells: 3,
    missing_cells: 3,
    absent_cells: 0,
    eligible_cells: 1,
    coverage_percent: '50.000000',
    eligible_percent: '16.666667',
    cells_truncated: false,
  })
  assert.deepEqual(result.robustness, {
    computed: false,
    specifications: 2,
    sign_change: true,
    small_cluster_threshold: 30,
    flags: [
      { specification: null, code: 'SIGN_CHANGE' },
      { specification: 'baseline', code: 'SMALL_CLUSTER_COUNT' },
    ],
  })
  assert.deepEqual(result.issues[0], { code: 'DUPLICATE_ENTITY_PERIOD', severity: 'BLOCKING', count: 2 })
  assert.ok(result.issues.slice(1).every(({ severity }) => severity === 'WARNING'))
})

test('the reasons of a record stand in their order and the first is the primary one', () => {
  const twice = record({
    entity: 'Z',
    period: 1999,
    state: 'missing',
    value: null,
    exclusion_reason: 'moved',
    available_at: '2024-01-01',
  })
  const { record_audit } = auditPanel(
    panel([twice, twice], { expected_entities: ['A'], start_year: 2020, end_year: 2021 }),
  )
  assert.deepEqual(record_audit[1]!.reasons, [
    'DUPLICATE_ENTITY_PERIOD',
    'OUTSIDE_EXPECTED_ENTITIES',
    'OUTSIDE_YEAR_RANGE',
    'REPORTED_EXCLUSION',
    'MISSING_VALUE',
    'RELEASE_AFTER_AS_OF',
  ])
  assert.equal(record_audit[1]!.primary_reason, 'DUPLICATE_ENTITY_PERIOD')
})

test('a release on the very day is known, one the day after is looking ahead', () => {
  const reasons = (available_at: string) => auditPanel(panel([record({ available_at })])).record_audit[0]!.reasons
  assert.deepEqual(reasons('2023-12-30'), [])
  assert.deepEqual(reasons('2023-12-31'), [])
  assert.deepEqual(reasons('2024-01-01'), ['RELEASE_AFTER_AS_OF'])
})

test('an empty panel is audited and divides by nothing', () => {
  const result = auditPanel(panel([]))
  assert.equal(result.status, 'AUDITED')
  assert.deepEqual([result.summary.kept_percent, result.coverage.coverage_percent], [null, null])
  assert.deepEqual([result.coverage.expected_cells, result.robustness.sign_change], [null, null])
  const expected = auditPanel(panel([], { expected_entities: ['A'], start_year: 2021, end_year: 2022 }))
  assert.deepEqual([expected.coverage.absent_cells, expected.coverage.coverage_percent], [2, '0.000000'])
  assert.deepEqual(expected.issues, [{ code: 'ABSENT_CELLS', severity: 'WARNING', count: 2 }])
})

test('a zero is a value, however it is written, and a value of a record that has none is told', () => {
  const zeros = auditPanel(panel(['0', '-0.000', 0, -0].map((value, at) => record({ value, period: 2000 + at }))))
  assert.deepEqual([zeros.summary.zero_values, zeros.summary.kept], [4, 4])
  const tiny = auditPanel(panel([record({ value: '0.000000000000000000000000000001' })]))
  assert.equal(tiny.summary.zero_values, 0)
  const { issues } = auditPanel(panel([record({ state: 'suppressed', value: 3 })]))
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['SUPPRESSED_VALUE', 'VALUE_CONTRADICTS_STATE'],
  )
})

test('of a large grid the first thousand cells are shown', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `E${at}`)
  const whole = auditPanel(panel([], { expected_entities: names(100), start_year: 2001, end_year: 2010 }))
  assert.deepEqual([whole.coverage.cells.length, whole.coverage.cells_truncated], [1000, false])
  const more = auditPanel(panel([], { expected_entities: names(1000), start_year: 2001, end_year: 2010 }))
  assert.deepEqual([more.coverage.cells.length, more.coverage.cells_truncated], [1000, true])
  assert.equal(more.coverage.expected_cells, 10_000)
})

const faultsOf = (body: unknown): string[] => {
  const shaped = read(AuditBody, body)
  if (!shaped.ok) return shaped.faults.map(({ place }) => place.join('.'))
  try {
    checkPanel(shaped.value)
    return []
  } catch (error) {
    assert.ok(error instanceof InputError)
    return error.detail.map(({ loc }) => loc.slice(1).join('.'))
  }
}

test('every bound of the request is refused by the name of its field one step beyond it', () => {
  const one = (over: object) => panel([{ ...record(), ...over } as AuditRecord])
  const entities = (count: number) => Array.from({ length: count }, (_, at) => `E${at}`)
  const urlOf = (length: number) => `https://example.org/${'a'.repeat(length - 20)}`
  const years = (start_year: number, end_year: number) => panel([], { start_year, end_year })
  const specification = (over: object) => panel([], { specifications: [{ label: 'a', estimate: 1, ...over }] })
  const cases: [unknown, string[]][] = [
    [one({ entity: 'e'.repeat(120) }), []],
    [one({ entity: 'e'.repeat(121) }), ['records.0.entity']],
    [one({ entity: '' }), ['records.0.entity']],
    [one({ entity: ' A' }), ['records.0.entity']],
    [one({ entity: 'A\u00a0' }), ['records.0.entity']],
    [one({ entity: 'A\u0007B' }), ['records.0.entity']],
    [one({ entity: 'A B' }), []],
    [one({ period: 0 }), ['records.0.period']],
    [one({ period: 1 }), []],
    [one({ period: 9999 }), []],
    [one({ period: 10_000 }), ['records.0.period']],
    [one({ period: 2021.5 }), ['records.0.period']],
    [one({ value: '1e5' }), ['records.0.value']],
    [one({ value: true }), ['records.0.value']],
    [one({ value: '-12.50' }), []],
    [one({ state: 'unknown' }), ['records.0.state']],
    [one({ available_at: '2023-02-29' }), ['records.0.available_at']],
    [one({ available_at: '2024-02-29' }), []],
    [one({ available_at: '2024-2-9' }), ['records.0.available_at']],
    [one({ exclusion_reason: 'r'.repeat(240) }), []],
    [one({ exclusion_reason: 'r'.repeat(241) }), ['records.0.exclusion_reason']],
    [one({ group: 'g'.repeat(121) }), ['records.0.group']],
    [one({ source_url: urlOf(2048) }), []],
    [one({ source_url: urlOf(2049) }), ['records.0.source_url']],
    [one({ source_url: 'ftp://example.org/a' }), ['records.0.source_url']],
    [one({ source_url: 'https://user:pass@example.org/' }), ['records.0.source_url']],
    [one({ source_url: 'https://user@example.org/' }), ['records.0.source_url']],
    [one({ surplus: 1 }), ['records.0.surplus']],
    [panel([], { as_of: '2023-13-01' }), ['as_of']],
    [{ records: [] }, ['as_of']],
    [{ as_of: '2023-12-31' }, ['records']],
    [panel([], { expected_entities: entities(1000) }), []],
    [panel([], { expected_entities: entities(1001) }), ['expected_entities']],
    [panel([], { expected_entities: ['A', 'B', 'A'] }), ['expected_entities.2']],
    [years(1901, 2000), []],
    [years(1900, 2000), ['end_year']],
    [years(2001, 2000), ['end_year']],
    [panel([], { start_year: 2000 }), ['end_year']],
    [panel([], { end_year: 2000 }), ['start_year']],
    [panel([], { expected_entities: entities(100), start_year: 1901, end_year: 2000 }), []],
    [panel([], { expected_entities: entities(101), start_year: 1901, end_year: 2000 }), ['expected_entities']],
    [specification({ standard_error: 0 }), []],
    [specification({ standard_error: '-0.1' }), ['specifications.0.standard_error']],
    [specification({ n: 10, clusters: 10 }), []],
    [specification({ n: 10, clusters: 11 }), ['specifications.0.clusters']],
    [panel([], { specifications: ['a', 'a'].map((label) => ({ label, estimate: 1 })) }), ['specifications.1.label']],
    [panel([], { specifications: entities(100).map((label) => ({ label, estimate: 1 })) }), []],
    [panel([], { specifications: entities(101).map((label) => ({ label, estimate: 1 })) }), ['specifications']],
    [panel(Array.from({ length: 5000 }, () => record())), []],
    [panel(Array.from({ length: 5001 }, () => record())), ['records']],
  ]
  for (const [body, places] of cases) assert.deepEqual(faultsOf(body), places, JSON.stringify(body).slice(0, 200))
})

test('whatever the panel, its parts add up', () => {
  const records = fc.array(
    fc.record({
      entity: fc.constantFrom('A', 'B', 'C', '__proto__', 'constructor'),
      period: fc.integer({ min: 2019, max: 2024 }),
      value: fc.constantFrom(null, '0', 1.5, '-2.25'),
      state: fc.constantFrom(...RECORD_STATES),
      available_at: fc.constantFrom('2022-01-01', '2024-01-01'),
    }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(records, fc.boolean(), (found, hasGrid) => {
      const grid = hasGrid ? { expected_entities: ['A', 'B', '__proto__'], start_year: 2020, end_year: 2022 } : {}
      const { summary, exclusion_reasons, attrition, coverage, record_audit } = auditPanel(panel(found, grid))
      assert.equal(summary.kept + summary.excluded, found.length)
      assert.equal(
        exclusion_reasons.reduce((sum, one) => sum + one.primary_records, 0),
        summary.excluded,
      )
      for (const rows of [attrition.entities, attrition.groups])
        assert.equal(
          rows.reduce((sum, one) => sum + one.kept, 0),
          summary.kept,
        )
      assert.equal(record_audit.filter(({ eligible }) => eligible).length, summary.kept)
      assert.equal(coverage.observed_cells + coverage.missing_cells, coverage.recorded_cells)
      if (hasGrid) assert.equal(coverage.recorded_cells + coverage.absent_cells!, coverage.expected_cells)
      assert.ok(coverage.eligible_cells <= coverage.observed_cells)
    }),
    { seed: 20_261_116, numRuns: 300 },
  )
})
