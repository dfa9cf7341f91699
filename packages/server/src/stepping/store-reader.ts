/** Reads of the store for this service: one that does not answer is told as what it is, and never as a failure of ours. */
import { ServiceError } from '../errors.ts'
import type { LedgerReader } from '../ledger-contract.ts'

export function storeReader(reader: LedgerReader): LedgerReader {
  const names = Object.keys(reader).filter((name) => name !== 'close') as Exclude<keyof LedgerReader, 'close'>[]
  const reads = names.map((name) => {
    const read = reader[name].bind(reader) as (...args: unknown[]) => Promise<unknown>
    return [name, (...args: unknown[]) => read(...args).catch(unreadable)]
  })
  return { ...(Object.fromEntries(reads) as LedgerReader), close: () => reader.close() }
}

function unreadable(error: unknown): never {
  if (error instanceof ServiceError) throw error
  throw new ServiceError('store_unavailable', 'the store cannot be read now; nothing was recorded, retry later')
}
