/** Numbers as they are sent: six decimals, once, at the end. What machines may differ in is further behind. */

/** `refuse` makes what is thrown where a number is not finite: no reply can carry it. */
export function roundDeep<T>(value: T, refuse: () => Error = notFinite): T {
  return rounded(value, refuse) as T
}

const notFinite = () => new RangeError('a result is not finite')

function rounded(value: unknown, refuse: () => Error): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 0 : roundNumber(value, refuse)
  if (Array.isArray(value)) return value.map((one) => rounded(one, refuse))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (field === undefined ? [] : [[name, rounded(field, refuse)]])),
  )
}

function roundNumber(value: number, refuse: () => Error): number {
  if (!Number.isFinite(value)) throw refuse()
  return Number(value.toFixed(6)) + 0
}
