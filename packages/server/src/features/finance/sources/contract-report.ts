/** The contract of finance, made of the tables that the code itself goes by. */
import { flags, OBSERVATION_LABELS, OBSERVATION_MODES, OBSERVATION_STATES } from '../../../domain/observation.ts'
import type { Operation } from '../../../operation.ts'
import { FAILURE_CODES } from './failure-codes.ts'
import { parametersSchema } from './parameters.ts'
import type { FinanceContract, FormulaRow } from './schemas.ts'
import type { SourceTable } from './table.ts'

interface ProviderLimits {
  id: string
  minIntervalMs: number
  perDay: number | null
  maxBytes: number
  maxInFlight: number
}

export interface ContractTables {
  /** The operations of finance and the markets, as they are mounted. */
  operations: readonly Operation[]
  table: SourceTable
  providers: readonly ProviderLimits[]
  times: { connectMs: number; firstByteMs: number; wholeMs: number }
  formulas: readonly FormulaRow[]
  receiptRules: readonly object[]
  revision: string
  defaultBodyLimit: number
  /** The whole path of an operation. */
  pathOf(operation: Operation): string
}

export function toContract(tables: ContractTables): FinanceContract {
  const { table, providers, times } = tables
  return {
    ...{ schema: 'orch.finance.contract/v1', label: 'STRUCTURAL-ONLY' },
    operations: tables.operations.map((operation) => toRow(operation, tables)),
    sources: [...table.values()].map(({ id, provider, ttlSeconds, parameters }) => ({
      ...{ id, provider, ttl_seconds: ttlSeconds, query_schema: plain(parametersSchema(parameters)) },
    })),
    states: [...OBSERVATION_STATES],
    modes: [...OBSERVATION_MODES],
    labels: [...OBSERVATION_LABELS],
    failure_codes: [...FAILURE_CODES],
    limits: {
      ...{ connect_ms: times.connectMs, first_byte_ms: times.firstByteMs, whole_read_ms: times.wholeMs },
      providers: providers.map(({ id, minIntervalMs, perDay, maxBytes, maxInFlight }) => ({
        ...{ id, min_interval_ms: minIntervalMs, reads_per_day: perDay, max_bytes: maxBytes },
        max_in_flight: maxInFlight,
      })),
    },
    formulas: [...tables.formulas],
    receipt_rules: tables.receiptRules.map(plain),
    source_revision: tables.revision,
    ...flags,
  }
}

const toRow = (operation: Operation, { defaultBodyLimit, pathOf }: ContractTables) => ({
  method: operation.method,
  path: pathOf(operation),
  query_schema: operation.query === undefined ? null : plain(operation.query),
  body_schema: operation.body === undefined ? null : plain(operation.body),
  body_limit_bytes: operation.method === 'GET' ? null : (operation.bodyLimit ?? defaultBodyLimit),
})

/** A schema as the JSON it is sent as. */
const plain = (value: object): Record<string, unknown> => JSON.parse(JSON.stringify(value)) as Record<string, unknown>
