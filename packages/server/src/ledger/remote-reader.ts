/** The reading side of the ledger as the service's own thread sees it: every call is a question to the thread that reads. */
import type { LedgerQueries, LedgerReader } from './contract.ts'

const READS = [
  'head',
  'byIndex',
  'byDigest',
  'bySeq',
  'range',
  'chainRange',
  'chains',
  'tile',
  'keys',
  'checkpoint',
  'checkpointFrom',
  'answer',
  'answersAfter',
  'time',
  'document',
  'documents',
  'countDocuments',
  'countByState',
  'documentsAfter',
  'counter',
  'counters',
  'countersAfter',
  'meta',
] as const satisfies readonly (keyof LedgerReader)[]

const QUERIES = [
  'receiptPage',
  'lakePage',
  'newestReceipts',
  'newestSigned',
  'outcomes',
  'governancePage',
  'localSpend',
  'payloadHolders',
  'searchText',
  'sessionCharge',
  'eventReplay',
  'eventTail',
  'runFormulas',
] as const satisfies readonly (keyof LedgerQueries)[]

export type Ask = (method: string, ...args: unknown[]) => Promise<unknown>

const remote = (methods: readonly string[], ask: Ask): unknown =>
  Object.fromEntries(methods.map((method) => [method, (...args: unknown[]) => ask(method, ...args)]))

/** All of it but `close`, which is not the caller's to do. */
export const remoteReader = (ask: Ask) => remote(READS, ask) as Omit<LedgerReader, 'close'>

export const remoteQueries = (ask: Ask) => remote(QUERIES, ask) as LedgerQueries
