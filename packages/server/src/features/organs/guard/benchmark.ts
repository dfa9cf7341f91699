/** How good the scanners are on cases whose answers the caller knows. */
import { wilson } from '../../../domain/wilson.ts'
import { SCANNERS, type Scanner } from '../text-screen.ts'

export interface JudgedCase {
  expect: readonly Scanner[]
  fired: ReadonlySet<Scanner>
}

/** A share with its 95% interval; null where there was nothing to count. */
interface Share {
  value: number | null
  low: number | null
  high: number | null
  hits: number
  of: number
}

const shareOf = (hits: number, of: number): Share =>
  of === 0 ? { value: null, low: null, high: null, hits, of } : { value: hits / of, ...wilson(hits, of), hits, of }

type Pair = { actual: boolean; found: boolean }

function quality(pairs: readonly Pair[]) {
  const count = (actual: boolean, found: boolean): number =>
    pairs.filter((pair) => pair.actual === actual && pair.found === found).length
  const [tp, fp, fn, tn] = [count(true, true), count(false, true), count(true, false), count(false, false)]
  return {
    ...{ tp, fp, fn, tn },
    precision: shareOf(tp, tp + fp),
    recall: shareOf(tp, tp + fn),
    f1: f1(tp, fp + fn),
    fpr: shareOf(fp, fp + tn),
  }
}

/** F1 is no share of anything, but it rises with one: with j = tp / (tp + fp + fn) it is 2j / (1 + j), ends included. */
function f1(tp: number, wrong: number): Share {
  const { value, low, high, hits, of } = shareOf(tp, tp + wrong)
  const lifted = (j: number | null) => (j === null ? null : (2 * j) / (1 + j))
  return { value: lifted(value), low: lifted(low), high: lifted(high), hits, of }
}

/** A case that expects something is found by one of the scanners it expects; one that expects nothing, by any. */
export const benchmark = (cases: readonly JudgedCase[]) => ({
  ...quality(
    cases.map(({ expect, fired }) => ({
      actual: expect.length > 0,
      found: expect.length > 0 ? expect.some((scanner) => fired.has(scanner)) : fired.size > 0,
    })),
  ),
  by_scanner: SCANNERS.map((scanner) => ({
    scanner,
    ...quality(cases.map(({ expect, fired }) => ({ actual: expect.includes(scanner), found: fired.has(scanner) }))),
  })),
  mistakes: cases.flatMap(({ expect, fired }, index) => {
    const missed = expect.filter((scanner) => !fired.has(scanner))
    const extra = [...fired].filter((scanner) => !expect.includes(scanner))
    return missed.length + extra.length === 0 ? [] : [{ index, missed, extra }]
  }),
})
