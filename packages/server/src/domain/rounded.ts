/** Numbers as they are sent: six decimals, once, at the end. What machines may differ in is further behind. */

interface Rounding {
  /** Makes what is thrown where a number is not finite: no reply can carry it. */
  refuse?: () => Error
  /** Fields that are as short as they should be already, such as probabilities with digits far behind the point. */
  keep?: ReadonlySet<string>
}

export const roundDeep = <T>(value: T, { refuse = notFinite, keep = NONE }: Rounding = {}): T =>
  rounded(value, { refuse, keep }) as T

const NONE: ReadonlySet<string> = new Set()
const notFinite = () => new RangeError('a result is not finite')

function rounded(value: unknown, rounding: Required<Rounding>): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value + 0 : roundNumber(value, rounding.refuse)
  if (Array.isArray(value)) return value.map((one) => rounded(one, rounding))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === undefined ? [] : [[name, rounding.keep.has(name) ? field : rounded(field, rounding)]],
    ),
  )
}

function roundNumber(value: number, refuse: () => Error): number {
  if (!Number.isFinite(value)) throw refuse()
  return Number(value.toFixed(6)) + 0
}
