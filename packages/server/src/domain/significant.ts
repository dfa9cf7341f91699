/** Numbers of a numerical result as they are sent: so many digits, once, at the end. Machines may differ further behind. */
export function significantDeep<T>(value: T, digits: number): T {
  if (typeof value === 'number')
    return (Number.isSafeInteger(value) ? value + 0 : Number(value.toPrecision(digits))) as T
  if (Array.isArray(value)) return value.map((one) => significantDeep(one, digits)) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, significantDeep(one, digits)])) as T
}
