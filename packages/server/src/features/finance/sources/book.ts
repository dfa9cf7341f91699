/** One form for the books of all venues: bids from the highest, asks from the lowest, prices as exact decimals. */
import Big from 'big.js'
import { decimalIn, type Fields, objectIn, required, SourceFault } from './fields.ts'

interface Level {
  price: string
  size: string
}

interface Sides {
  bids: Level[]
  asks: Level[]
}

/** What a best bid and a best ask say together. */
interface TopOfBook {
  best_bid: string | null
  best_ask: string | null
  spread: string | null
  mid: string | null
  crossed: boolean
  quality: 'TWO_SIDED' | 'INCOMPLETE' | 'INVALID_CROSSED'
}

/** A book whose bid is above its ask has neither a spread nor a middle; one whose sides meet has a spread of zero. */
export function topOfBook(best_bid: string | null, best_ask: string | null): TopOfBook {
  const best = { best_bid, best_ask }
  if (best_bid === null || best_ask === null)
    return { ...best, spread: null, mid: null, crossed: false, quality: 'INCOMPLETE' }
  const [bid, ask] = [new Big(best_bid), new Big(best_ask)]
  if (bid.gt(ask)) return { ...best, spread: null, mid: null, crossed: true, quality: 'INVALID_CROSSED' }
  const mid = bid.plus(ask).times('0.5').toFixed()
  return { ...best, spread: ask.minus(bid).toFixed(), mid, crossed: false, quality: 'TWO_SIDED' }
}

/** A price of zero is how some venues write that nobody is on that side. */
export function sidePrice(price: string | null): string | null {
  if (price?.startsWith('-')) throw new SourceFault('INVALID_SOURCE_NUMBER')
  return price === '0' ? null : price
}

interface Book extends Sides, TopOfBook {
  /** Levels that named a price and no size. */
  empty_levels_dropped: number
  price_unit: string
  asks_kind: 'REPORTED' | 'DERIVED_COMPLEMENT_OF_NO_BIDS'
}

export function toBook(sides: Sides, price_unit: string, asks_kind: Book['asks_kind']): Book {
  const bids = sides.bids.filter(hasSize).sort((a, b) => compare(b.price, a.price))
  const asks = sides.asks.filter(hasSize).sort((a, b) => compare(a.price, b.price))
  const empty_levels_dropped = sides.bids.length + sides.asks.length - bids.length - asks.length
  const top = topOfBook(bids[0]?.price ?? null, asks[0]?.price ?? null)
  return { bids, asks, ...top, empty_levels_dropped, price_unit, asks_kind }
}

const compare = (a: string, b: string): number => new Big(a).cmp(b)
const hasSize = ({ size }: Level): boolean => size !== '0'

/** Of a share that pays 1: its price lies from 0 to 1. */
export function shareLevel(price: unknown, size: unknown): Level {
  const level = { price: sharePrice(decimalIn(price)), size: decimalIn(size) }
  if (level.size.startsWith('-')) throw new SourceFault('INVALID_SOURCE_NUMBER')
  return level
}

export function sharePrice(price: string): string {
  if (price.startsWith('-') || new Big(price).gt(1)) throw new SourceFault('INVALID_SOURCE_NUMBER')
  return price
}

export const levelIn = (value: unknown): Level => {
  const fields: Fields = objectIn(value)
  return shareLevel(required(fields, 'price'), required(fields, 'size'))
}

/** The ask of YES that a bid for NO is. */
export const complement = ({ price, size }: Level): Level => ({ price: new Big(1).minus(price).toFixed(), size })

export const centsToDollars = (cents: string): string => new Big(cents).times('0.01').toFixed()
