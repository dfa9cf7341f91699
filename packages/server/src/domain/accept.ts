/** Which of the forms on offer an `Accept` header asks for. The header is the caller's own text: what cannot be read
 *  counts for nothing. */

/** The form with the greatest weight; the first on offer where it is as welcome as another. */
export function formAccepted<const Form extends string>(
  header: string | string[] | undefined,
  offered: readonly [Form, ...Form[]],
): Form {
  const ranges = String(header ?? '*/*')
    .split(',')
    .map(rangeOf)
  const weighed = offered.map((form) => ({ form, weight: weightOf(form, ranges) }))
  return weighed.reduce((best, one) => (one.weight > best.weight ? one : best)).form
}

interface Range {
  type: string
  weight: number
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const weight = q === undefined ? 1 : /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q.slice(2)) : 0
  return { type, weight }
}

/** The most specific range decides, whatever stands beside it. */
function weightOf(form: string, ranges: readonly Range[]): number {
  for (const wanted of [form, form.replace(/\/.*/, '/*'), '*/*']) {
    const range = ranges.find(({ type }) => type === wanted)
    if (range !== undefined) return range.weight
  }
  return 0
}
