/** The engine's own ranges let numbers beyond the bounds through (121 for 5 to 120), so that the narrowed schema holds a
 *  mark in their place, which is exchanged in the grammar. */
export const MARK = 'orch-range:'
export const rangeMark = (low: number, high: number): string => `${MARK}${low}:${high}`

/** The grammar with true ranges for marks. Control characters, which the engine lets into short strings, are not JSON. */
export const mendGrammar = (grammar: string): string =>
  grammar
    .replace(/"\\"orch-range:(-?\d+):(-?\d+)\\""/g, (_, low, high) => `(${rangeGrammar(Number(low), Number(high))})`)
    .replaceAll('[^"\\\\\\r\\n]', '[^\\0-\\x1f\\"\\\\\\r\\n]')

/** Whole numbers from `low` to `high`. */
function rangeGrammar(low: number, high: number): string {
  const negative = low < 0 ? natural(Math.max(1, -high), -low).map((piece) => `"-" ${piece}`) : []
  return [...negative, ...(high >= 0 ? natural(Math.max(0, low), high) : [])].join(' | ')
}

/** Whole lengths between the two are one piece: of many alike the engine loses count where two ranges meet. */
function natural(low: number, high: number): string[] {
  const [from, to] = [String(low), String(high)]
  if (from.length === to.length) return sameLength('', from, to)
  const isGap = to.length - from.length > 1
  return [
    ...sameLength('', from, '9'.repeat(from.length)),
    ...(isGap ? [`[1-9] [0-9]{${from.length},${to.length - 2}}`] : []),
    ...sameLength('', `1${'0'.repeat(to.length - 1)}`, to),
  ]
}

/** Digits that both share are written out; of the rest, whole blocks become a class and free digits. */
function sameLength(prefix: string, from: string, to: string): string[] {
  if (from === to) return [`"${prefix}${from}"`]
  const [low, high, rest] = [Number(from[0]), Number(to[0]), from.length - 1]
  if (low === high) return sameLength(prefix + from[0], from.slice(1), to.slice(1))
  const isOpenBelow = /^0*$/.test(from.slice(1))
  const isOpenAbove = /^9*$/.test(to.slice(1))
  const [first, last] = [isOpenBelow ? low : low + 1, isOpenAbove ? high : high - 1]
  const literal = prefix === '' ? '' : `"${prefix}" `
  return [
    ...(isOpenBelow ? [] : sameLength(`${prefix}${low}`, from.slice(1), '9'.repeat(rest))),
    ...(first <= last ? [`${literal}[${first}-${last}]${' [0-9]'.repeat(rest)}`] : []),
    ...(isOpenAbove ? [] : sameLength(`${prefix}${high}`, '0'.repeat(rest), to.slice(1))),
  ]
}
