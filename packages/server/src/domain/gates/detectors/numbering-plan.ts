/** The numbering plans of all countries, from the metadata of libphonenumber. Its parser takes a fifth of a millisecond for a
 *  number of North America, and a text may hold thousands: the same patterns are compiled once and asked directly. */
import metadata from 'libphonenumber-js/metadata.min.json'

/** As the metadata lie in their lists. */
const PATTERN = 2
const LENGTHS = 3
const TYPES = 11

type Fits = (national: string) => boolean

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`)

/** Which country a number of a shared code belongs to only the patterns of its kinds tell. */
function planOf(country: readonly unknown[]): Fits {
  let general: RegExp | undefined
  let kinds: RegExp[] | undefined
  return (national) => {
    if (!(country[LENGTHS] as number[]).includes(national.length)) return false
    general ??= whole(country[PATTERN] as string)
    kinds ??= ((country[TYPES] || []) as unknown[]).filter(Array.isArray).map(([pattern]) => whole(pattern as string))
    return general.test(national) && (kinds.length === 0 || kinds.some((kind) => kind.test(national)))
  }
}

const COUNTRIES = Object.entries(metadata.countries as unknown as Record<string, unknown[]>)
const PLANS: ReadonlyMap<string, Fits> = new Map(COUNTRIES.map(([name, country]) => [name, planOf(country)]))
const BY_CODE: ReadonlyMap<string, readonly Fits[]> = new Map(
  Object.entries(metadata.country_calling_codes as Record<string, string[]>).map(([code, names]) => [
    code,
    names.map((name) => PLANS.get(name)).filter((plan) => plan !== undefined),
  ]),
)
/** The countries of the G20 and their neighbours that write a zero before the area. */
const TRUNK_ZERO = 'GB DE FR TR AU JP KR ZA ID IN CN AR SA BE NL CH AT SE FI IE NZ TH VN'.split(' ')
const WITH_TRUNK_ZERO = TRUNK_ZERO.map((name) => PLANS.get(name)).filter((plan) => plan !== undefined)

/** The digits behind a plus sign: a country's code and a number of its plan; some write the trunk zero in between. */
export function isInternational(digits: string): boolean {
  for (let size = 1; size <= 3; size++) {
    const plans = BY_CODE.get(digits.slice(0, size))
    const national = digits.slice(size)
    if (plans) return plans.some((fits) => fits(national) || (national.startsWith('0') && fits(national.slice(1))))
  }
  return false
}

/** Ten digits of the plan that North America shares, or eleven with its trunk one. */
export const isNorthAmerican = (digits: string): boolean =>
  (BY_CODE.get('1') ?? []).some((fits) => fits(digits.length === 11 ? digits.slice(1) : digits))

/** A trunk zero and a number of one of the plans that have it. */
export const hasTrunkZero = (digits: string): boolean =>
  digits.startsWith('0') && WITH_TRUNK_ZERO.some((fits) => fits(digits.slice(1)))
