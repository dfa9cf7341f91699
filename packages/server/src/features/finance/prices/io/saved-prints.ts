/** Prints in the store of readings: what a restart must not lose, and what nodes on one store share. The receipt in the ledger
 *  is the evidence; this is what the receipt covers by its digest alone. */
import { sha256Hex } from '@orch/core'
import type { ReadingCache } from '../../../../adapters/outbound/contract.ts'
import { ServiceError } from '../../../../errors.ts'
import { read } from '../../../../platform/shape.ts'
import { PRICE_CHAIN, type SavedPrints } from '../publisher.ts'
import { type PriceSymbol, SavedPrint } from '../schemas.ts'

const keyOf = (symbol: PriceSymbol): string => sha256Hex(`${PRICE_CHAIN} ${symbol}`)

export const savedPrints = (cache: ReadingCache): SavedPrints => ({
  async read(symbol) {
    const entry = await cache.read(keyOf(symbol)).catch(ignoreStore)
    const print = entry === null ? null : read(SavedPrint, entry.value)
    return print?.ok ? print.value : null
  },
  async write(symbol, print) {
    await cache.write([{ key: keyOf(symbol), at: print.observedAt, value: print }]).catch(ignoreStore)
  },
})

/** The print is in the ledger all the same, and in the memory of this process. */
function ignoreStore(error: unknown): null {
  if (error instanceof ServiceError) return null
  throw error
}
