/** The contract of finance, made of the tables that the code itself goes by. */
import type { FailureCode } from '../../../adapters/outbound/contract.ts'
import { flags, OBSERVATION_LABELS, OBSERVATION_MODES, OBSERVATION_STATES } from '../../../domain/observation.ts'
import type { Operation } from '../../../operation.ts'
import { parametersSchema } from './parameters.ts'
import type { FinanceContract, FormulaRow } from './schemas.ts'
import type { SourceTable } from './table.ts'

/** The only codes in which a failure of a source leaves; `<nnn>` stands for the status of the other side. */
export const FAILURE_CODES = [
  'DESTINATION_DENIED',
  'REDIRECT_DENIED',
  'TRANSPORT_UNAVAILABLE',
  'TRANSPORT_DISABLED',
  'TLS_INVALID',
  'RESPONSE_DEADLINE',
  'RESPONSE_TOO_LARGE',
  'UPSTREAM_HTTP_<nnn>',
  'NON_JSON_RESPONSE',
  'ENCODED_RESPONSE_DENIED',
  'INVALID_JSON',
  'DUPLICATE_JSON_KEY',
  'NONFINITE_JSON',
  'INVALID_SOURCE_SCHEMA',
  'INVALID_SOURCE_COLLECTION',
  'INVALID_SOURCE_TEXT',
  'INVALID_SOURCE_NUMBER',
  'INVALID_SOURCE_IDENTIFIER',
  'INVALID_SOURCE_TIMESTAMP',
  'MISSING_SOURCE_FIELD',
  'IDENTITY_MISMATCH',
  'PROVIDER_BUSY',
  'PROVIDER_COOLDOWN',
  'PROVIDER_BUDGET_SPENT',
  'NEEDS_SEC_USER_AGENT',
  'NEEDS_FRED_KEY',
  'NEEDS_ALPACA_CREDENTIALS',
] as const satisfies readonly (FailureCode | 'UPSTREAM_HTTP_<nnn>')[]

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
