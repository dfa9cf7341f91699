/** Numbers as they are sent: six decimals, once, at the end. What machines may differ in is further behind. */

/** `refuse` makes what is thrown where a number is not finite: no reply can carry it. `keep` names fields that are as short
 *  as they should be already, such as probabilities whose digits are far behind the point. */
export const roundDeep = <T>(value: T, refuse: () => Error = notFinite, keep: ReadonlySet<string> = NONE): T =>
  rounded(value, refuse, keep) as T

const NONE: ReadonlySet<string> = new Set()
const notFinite = () => new RangeError('a result is not finite')

function rounded(value: unknown, refuse: () => Error, keep: ReadonlySet<string>): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 0 : roundNumber(value, refuse)
  if (Array.isArray(value)) return value.map((one) => rounded(one, refuse, keep))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === undefined ? [] : [[name, keep.has(name) ? field : rounded(field, refuse, keep)]],
    ),
  )
}

function roundNumber(value: number, refuse: () => Error): number {
  if (!Number.isFinite(value)) throw refuse()
  return Number(value.toFixed(6)) + 0
}
