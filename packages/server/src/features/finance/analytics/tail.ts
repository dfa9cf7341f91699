/** The historical tail of returns: the loss at a confidence and the mean of the losses from there on. */
import Big from 'big.js'
import { meanOf, toText } from './statistics.ts'

const MIN_TAIL_RETURNS = 20

interface Tail {
  confidence: number
  n: number
  k: number
  var: string
  es: string
  horizon_periods: 1
}

/** Null with too few returns. A negative figure is a gain. */
export function tailOf(returns: readonly number[], confidence: number): Tail | null {
  const n = returns.length
  if (n < MIN_TAIL_RETURNS) return null
  const losses = returns.map((one) => -one).sort((a, b) => a - b)
  const k = tailRank(confidence, n)
  const beyond = losses.slice(k - 1)
  // The mean of many equal losses may round to less than each of them.
  const es = Math.max(meanOf(beyond), beyond[0]!)
  return { confidence, n, k, var: toText(beyond[0]!), es: toText(es), horizon_periods: 1 }
}

/** On the decimals as they are written: 0.95 * 20 is 19, while the product of the doubles may lie above it. */
const tailRank = (confidence: number, n: number): number =>
  Number(new Big(confidence).times(n).round(0, Big.roundUp).toString())
