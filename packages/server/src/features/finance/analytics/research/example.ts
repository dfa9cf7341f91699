/** Two entities in three years. Each reason to leave a record out occurs, and one record is fit for use. */
import type { AuditBody } from './schemas.ts'

export const AUDIT_EXAMPLE: AuditBody = {
  as_of: '2024-06-30',
  expected_entities: ['A', 'B'],
  start_year: 2021,
  end_year: 2023,
  records: [
    { entity: 'A', period: 2021, value: '10.5', state: 'observed', available_at: '2022-03-01', group: 'north' },
    { entity: 'A', period: 2021, value: '10.7', state: 'observed', available_at: '2022-04-01', group: 'north' },
    { entity: 'A', period: 2022, value: '0', state: 'observed', available_at: '2023-03-01', group: 'north' },
    { entity: 'A', period: 2023, value: null, state: 'observed', available_at: '2024-03-01', group: 'north' },
    { entity: 'B', period: 2021, value: null, state: 'suppressed', available_at: '2022-03-01', group: 'south' },
    { entity: 'B', period: 2022, value: null, state: 'missing', group: 'south' },
    { entity: 'B', period: 2023, value: '12.1', state: 'observed', available_at: '2024-09-01', group: 'south' },
    { entity: 'C', period: 2021, value: null, state: 'invalid', available_at: '2022-03-01' },
    {
      entity: 'A',
      period: 2030,
      value: '9.9',
      state: 'observed',
      available_at: '2022-03-01',
      exclusion_reason: 'a forecast, not an observation',
      group: 'north',
    },
  ],
  specifications: [
    { label: 'baseline', estimate: '0.42', standard_error: '0.11', n: 120, clusters: 24 },
    { label: 'without north', estimate: '-0.05', standard_error: '0.20', n: 60, clusters: 31 },
  ],
}
