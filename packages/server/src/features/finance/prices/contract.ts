import type { PriceSymbol, SignedPrice } from './schemas.ts'

export interface Prices {
  /** The newest print, verified now. `isPassive` leaves no mark that the symbol is read and waits for nothing. */
  read(symbol: PriceSymbol, signal: AbortSignal, isPassive: boolean): Promise<SignedPrice>
}
