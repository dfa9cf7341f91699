/** Volume-weighted chain ladder with the standard error of Mack (1993). */

export interface Triangle {
  /** Row i is the origin year i, column k the age k; null where the future is. Square. */
  values: readonly (readonly (number | null)[])[]
  tail: number
}

/** Cumulative amounts of column `k` and of the next, for the origins that have both. */
const pairsOf = ({ values }: Triangle, k: number): [number, number][] =>
  values.slice(0, values.length - 1 - k).map((row) => [row[k]!, row[k + 1]!])

const sum = (list: readonly number[]): number => list.reduce((total, value) => total + value, 0)

/** Development factors, the squares of Mack's sigma and the weight each factor was estimated from. */
function developments(triangle: Triangle) {
  const ages = triangle.values.length - 1
  const ldf: number[] = []
  const sigma2: number[] = []
  const weight: number[] = []
  for (let k = 0; k < ages; k += 1) {
    const pairs = pairsOf(triangle, k)
    weight.push(sum(pairs.map(([from]) => from)))
    const factor = sum(pairs.map(([, to]) => to)) / weight[k]!
    ldf.push(factor)
    const squares = sum(pairs.map(([from, to]) => from * (to / from - factor) ** 2))
    // Of the last age there is one ratio and no spread: it is extrapolated from the two before it.
    sigma2.push(pairs.length > 1 ? squares / (pairs.length - 1) : extrapolated(sigma2))
  }
  return { ldf, sigma2, weight }
}

function extrapolated(known: readonly number[]): number {
  const [before, last] = [known.at(-2) ?? known.at(-1)!, known.at(-1)!]
  return before === 0 ? 0 : Math.min(last ** 2 / before, before, last)
}

/** The tail is taken as certain: it scales amounts and errors alike. */
export function chainLadder(triangle: Triangle) {
  const { values, tail } = triangle
  const n = values.length
  const { ldf, sigma2, weight } = developments(triangle)
  const origins = values.map((row, i) => {
    const latestAge = n - 1 - i
    const latest = row[latestAge]!
    let [ultimate, relative, shared] = [latest, 0, 0]
    for (let k = latestAge; k < n - 1; k += 1) {
      const share = sigma2[k]! / ldf[k]! ** 2
      relative += share * (1 / ultimate + 1 / weight[k]!)
      shared += share / weight[k]!
      ultimate *= ldf[k]!
    }
    return { latest, ultimate, mse: ultimate ** 2 * relative, shared }
  })
  // The factors are shared by the origins, so that their errors are correlated.
  const total = origins.reduce((mse, { mse: own, ultimate, shared }, i) => {
    const later = sum(origins.slice(i + 1).map((other) => other.ultimate))
    return mse + own + 2 * ultimate * later * shared
  }, 0)
  const toRow = ({ latest, ultimate, mse }: { latest: number; ultimate: number; mse: number }) => {
    const ibnr = ultimate * tail - latest
    const error = Math.sqrt(mse) * tail
    return { latest, ultimate: ultimate * tail, ibnr, mack_se: error, cv: ibnr > 0 ? error / ibnr : null }
  }
  const [latest, ultimate] = [sum(origins.map((one) => one.latest)), sum(origins.map((one) => one.ultimate))]
  return {
    ldf,
    ldf_se: ldf.map((_, k) => Math.sqrt(sigma2[k]! / weight[k]!)),
    sigma: sigma2.map(Math.sqrt),
    cdf: ldf.map((_, k) => ldf.slice(k).reduce((product, factor) => product * factor, tail)),
    origins: origins.map(toRow),
    total: toRow({ latest, ultimate, mse: total }),
  }
}
