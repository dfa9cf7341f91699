/** The cells of a panel: entity by period, expected, recorded, observed and eligible. */
import type { Judged } from './audit.ts'
import { percent } from './percent.ts'
import { type AuditBody, type AuditResult, SHOWN_CELLS } from './schemas.ts'

interface Cell {
  entity: string
  period: number
}

/** Unequal cells have unequal keys, whatever an entity is called. */
export const cellKey = ({ entity, period }: Cell): string => JSON.stringify([entity, period])

/** Null where the caller does not say both who and when. */
function expectedGrid({ expected_entities, start_year, end_year }: AuditBody): Cell[] | null {
  if (expected_entities === undefined || start_year === undefined || end_year === undefined) return null
  return expected_entities.flatMap((entity) =>
    Array.from({ length: end_year - start_year + 1 }, (_, at) => ({ entity, period: start_year + at })),
  )
}

/** Within the grid where there is one, else over what was recorded. */
export function coverageOf(body: AuditBody, judged: readonly Judged[]): AuditResult['coverage'] {
  const recorded = Map.groupBy(judged, ({ record }) => cellKey(record))
  const grid = expectedGrid(body)
  const cells = (grid ?? [...recorded.values()].map(([first]) => first!.record)).map(({ entity, period }) => {
    const found = recorded.get(cellKey({ entity, period })) ?? []
    return {
      entity,
      period,
      status: statusOf(found),
      records: found.length,
      eligible: found.some(({ reasons }) => reasons.length === 0),
    }
  })
  const count = (status: 'OBSERVED' | 'MISSING' | 'ABSENT') => cells.filter((cell) => cell.status === status).length
  const eligible = cells.filter((cell) => cell.eligible).length
  return {
    expected_cells: grid === null ? null : grid.length,
    recorded_cells: cells.length - count('ABSENT'),
    observed_cells: count('OBSERVED'),
    missing_cells: count('MISSING'),
    absent_cells: grid === null ? null : count('ABSENT'),
    eligible_cells: eligible,
    coverage_percent: grid === null ? null : percent(count('OBSERVED'), grid.length),
    eligible_percent: grid === null ? null : percent(eligible, grid.length),
    cells: cells.slice(0, SHOWN_CELLS),
    cells_truncated: cells.length > SHOWN_CELLS,
  }
}

function statusOf(found: readonly Judged[]) {
  if (found.length === 0) return 'ABSENT' as const
  const isObserved = found.some(({ record }) => record.state === 'observed' && record.value !== null)
  return isObserved ? ('OBSERVED' as const) : ('MISSING' as const)
}
