/** Which records of a panel may be used on a given day, and why the others may not. Nothing is fetched or estimated. */
import { cellKey, coverageOf } from './coverage.ts'
import { percent } from './percent.ts'
import { robustnessOf } from './robustness.ts'
import {
  type AuditBody,
  type AuditRecord,
  type AuditResult,
  EXCLUSION_REASONS,
  type ExclusionReason,
  RECORD_STATES,
} from './schemas.ts'

export interface Judged {
  record: AuditRecord
  reasons: ExclusionReason[]
}

export function auditPanel(body: AuditBody): AuditResult {
  const judged = judgeRecords(body)
  const robustness = robustnessOf(body.specifications ?? [])
  const coverage = coverageOf(body, judged)
  const reasons = countReasons(judged)
  return {
    schema: 'orch.finance.research-audit/v1',
    as_of: body.as_of,
    status: reasons.get('DUPLICATE_ENTITY_PERIOD')!.records > 0 ? 'BLOCKED' : 'AUDITED',
    summary: summaryOf(judged, reasons),
    exclusion_reasons: [...reasons]
      .filter(([, { records }]) => records > 0)
      .map(([reason, counted]) => ({
        reason,
        ...counted,
        percent_of_records: percent(counted.records, judged.length),
      })),
    attrition: {
      entities: attritionBy(judged, ({ entity }) => entity).map(([entity, totals]) => ({ entity, ...totals })),
      groups: attritionBy(judged, ({ group }) => group ?? null).map(([group, totals]) => ({ group, ...totals })),
    },
    coverage,
    robustness,
    record_audit: judged.map(({ record, reasons: found }, index) => ({
      index,
      entity: record.entity,
      period: record.period,
      eligible: found.length === 0,
      primary_reason: found[0] ?? null,
      reasons: found,
    })),
    issues: issuesOf(judged, reasons, coverage, robustness),
  }
}

function judgeRecords({ records, as_of, expected_entities, start_year, end_year }: AuditBody): Judged[] {
  const copies = new Map<string, number>()
  for (const record of records) copies.set(cellKey(record), (copies.get(cellKey(record)) ?? 0) + 1)
  const expected = expected_entities === undefined ? null : new Set(expected_entities)
  return records.map((record) => {
    const found: (ExclusionReason | false)[] = [
      copies.get(cellKey(record))! > 1 && 'DUPLICATE_ENTITY_PERIOD',
      expected !== null && !expected.has(record.entity) && 'OUTSIDE_EXPECTED_ENTITIES',
      start_year !== undefined && (record.period < start_year || record.period > end_year!) && 'OUTSIDE_YEAR_RANGE',
      record.exclusion_reason !== undefined && 'REPORTED_EXCLUSION',
      valueReason(record),
      releaseReason(record, as_of),
    ]
    return { record, reasons: found.filter((reason) => reason !== false) }
  })
}

function valueReason({ state, value }: AuditRecord): ExclusionReason | false {
  if (state === 'observed') return value === null && 'OBSERVED_NULL'
  return ({ suppressed: 'SUPPRESSED_VALUE', missing: 'MISSING_VALUE', invalid: 'INVALID_VALUE' } as const)[state]
}

/** Dates of one form compare as their texts do. */
function releaseReason({ available_at: released }: AuditRecord, asOf: string): ExclusionReason | false {
  if (released === undefined) return 'RELEASE_DATE_UNKNOWN'
  return released > asOf && 'RELEASE_AFTER_AS_OF'
}

type ReasonCounts = Map<ExclusionReason, { records: number; primary_records: number }>

function countReasons(judged: readonly Judged[]): ReasonCounts {
  const counts: ReasonCounts = new Map(EXCLUSION_REASONS.map((reason) => [reason, { records: 0, primary_records: 0 }]))
  for (const { reasons } of judged)
    for (const [at, reason] of reasons.entries()) {
      const counted = counts.get(reason)!
      counted.records += 1
      if (at === 0) counted.primary_records += 1
    }
  return counts
}

function totalsOf(judged: readonly Judged[]) {
  const records = judged.length
  const retained = judged.filter(({ reasons }) => reasons.length === 0).length
  return {
    records,
    kept: retained,
    excluded: records - retained,
    kept_percent: percent(retained, records),
    excluded_percent: percent(records - retained, records),
  }
}

function summaryOf(judged: readonly Judged[], reasons: ReasonCounts): AuditResult['summary'] {
  const count = (state: AuditRecord['state']) => judged.filter(({ record }) => record.state === state).length
  const [observed, suppressed, missing, invalid] = RECORD_STATES.map(count) as [number, number, number, number]
  return {
    ...totalsOf(judged),
    states: { observed, suppressed, missing, invalid },
    zero_values: judged.filter(({ record }) => record.state === 'observed' && isZero(record.value)).length,
    unknown_releases: reasons.get('RELEASE_DATE_UNKNOWN')!.records,
    late_releases: reasons.get('RELEASE_AFTER_AS_OF')!.records,
  }
}

/** By its digits: a text of thirty decimals may be too small for a double. */
const isZero = (value: AuditRecord['value']): boolean =>
  typeof value === 'string' ? !/[1-9]/.test(value) : value === 0

function attritionBy<Key extends string | null>(judged: readonly Judged[], keyOf: (record: AuditRecord) => Key) {
  const parts = Map.groupBy(judged, ({ record }) => keyOf(record))
  return [...parts].sort(([a], [b]) => byText(a, b)).map(([key, part]) => [key, totalsOf(part)] as const)
}

/** By code units, and what has no name last. */
function byText(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return a < b ? -1 : Number(a > b)
}

function issuesOf(
  judged: readonly Judged[],
  reasons: ReasonCounts,
  { absent_cells }: AuditResult['coverage'],
  { flags }: AuditResult['robustness'],
): AuditResult['issues'] {
  const contradictions = judged.filter(({ record }) => record.state !== 'observed' && record.value !== null).length
  const flagged = (code: string) => flags.filter((flag) => flag.code === code).length
  const counts: [string, number][] = [
    ...[...reasons].map(([reason, { records }]): [string, number] => [reason, records]),
    ['VALUE_CONTRADICTS_STATE', contradictions],
    ['ABSENT_CELLS', absent_cells ?? 0],
    ['SIGN_CHANGE', flagged('SIGN_CHANGE')],
    ['SMALL_CLUSTER_COUNT', flagged('SMALL_CLUSTER_COUNT')],
    ['ZERO_STANDARD_ERROR', flagged('ZERO_STANDARD_ERROR')],
  ]
  return counts
    .filter(([, count]) => count > 0)
    .map(([code, count]) => ({
      code,
      severity: code === 'DUPLICATE_ENTITY_PERIOD' ? ('BLOCKING' as const) : ('WARNING' as const),
      count,
    }))
}
