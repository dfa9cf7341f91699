/** The typed client of the service, for browsers and Node. */
export { type Client, createClient } from './client.ts'
export * from './errors.ts'
export type { EventOptions, LedgerEvent } from './events.ts'
export * from './generated/operations.ts'
export type { CallArguments, Input, OperationId, Reply } from './operations.ts'
export { isOperationId, type OperationRow, rowOf } from './request.ts'
export type { RandomSource, Wait } from './retry.ts'
export type { ClientOptions } from './transport.ts'
