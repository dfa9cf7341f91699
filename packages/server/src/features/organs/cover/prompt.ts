/** `home 350000 limit 300000 deductible 1000`, in any order of its parts. What is not in the text is missing. */
import { NeedsInput, type Structured } from '../organ.ts'
import { unread } from '../unread.ts'
import { AS_OF, EXPOSURE_PATTERN, type Line, MONEY_PATTERN, type QuoteRequest, quoteFaults } from './rating.ts'

const WORDS: Readonly<Record<string, Line>> = {
  auto: 'auto',
  car: 'auto',
  motor: 'auto',
  home: 'home',
  homeowners: 'home',
  house: 'home',
  gl: 'gl',
  liability: 'gl',
}
const EXAMPLE = { line: 'home', exposure: '350000', limit: '300000', deductible: '1000' } as const
type Field = keyof typeof EXAMPLE
const TYPES: Readonly<Record<Field, string>> = {
  line: 'auto | home | gl',
  exposure: 'vehicle-years of auto, insured value of home, annual sales of gl',
  limit: 'decimal',
  deductible: 'decimal',
}
const LABELS: Readonly<Record<string, Field>> = {
  exposure: 'exposure',
  value: 'exposure',
  sales: 'exposure',
  limit: 'limit',
  deductible: 'deductible',
}
const TOKEN =
  /(?<![\w.,+-])(?:([a-z]{2,12})|[$\u20ac\u00a3]?(\d{1,3}(?:,\d{3}){1,4}|\d{1,13})(\.\d{1,4})?(k|m)?)(?![\w%]|[.,]\d)/gi
const PLACES: Readonly<Record<string, number>> = { k: 3, m: 6 }

/** Moves the point, so that no binary fraction comes between. */
function scaled(whole: string, fraction = '', suffix = ''): string {
  const places = PLACES[suffix.toLowerCase()] ?? 0
  const digits = fraction.slice(1).padEnd(places, '0')
  const rest = digits.slice(places).replace(/0+$/, '')
  const before = `${whole.replaceAll(',', '')}${digits.slice(0, places)}`.replace(/^0+(?=\d)/, '')
  return rest === '' ? before : `${before}.${rest}`
}

export function coverPrompt(prompt: string): Structured | NeedsInput {
  const found: Partial<Record<Field, string>> = {}
  const unclear = new Set<Field>()
  const take = (field: Field, value: string): void => {
    if (found[field] !== undefined && found[field] !== value) unclear.add(field)
    found[field] = value
  }
  let label: Field | undefined
  const tokens = [...prompt.matchAll(TOKEN)]
  for (const [, word = '', whole, fraction, suffix] of tokens) {
    const name = word.toLowerCase()
    if (whole !== undefined) {
      const field = label ?? 'exposure'
      take(field, scaled(whole, fraction, suffix))
      // 350.000 is a third of a million to one reader and 350 to another.
      if (whole.length <= 3 && fraction?.length === 4) unclear.add(field)
      label = undefined
    } else if (Object.hasOwn(LABELS, name)) label = LABELS[name]
    else if (Object.hasOwn(WORDS, name)) take('line', WORDS[name]!)
  }
  const fields = Object.keys(EXAMPLE) as Field[]
  const missing = fields.filter((field) => found[field] === undefined || unclear.has(field))
  const rest = unread(
    prompt,
    tokens.filter(([, word = '']) => word === '' || Object.hasOwn({ ...LABELS, ...WORDS }, word.toLowerCase())),
    'home 350000 limit 300000 deductible 1000',
  )
  if (missing.length > 0 || rest.length > 0) return needs(found, missing, [], rest)
  const request = found as Record<Field, string>
  const unwritten = fields.filter((field) => field !== 'line' && !PATTERNS[field].test(request[field]))
  if (unwritten.length > 0) return needs(found, unwritten)
  const faults = quoteFaults({ ...request, factors: {}, as_of: AS_OF } as QuoteRequest)
  const wrong = fields.filter((field) => faults.some(({ place }) => place[0] === field))
  return wrong.length > 0 ? needs(found, wrong, faults) : { op: 'quote', ...request }
}

const PATTERNS = {
  exposure: new RegExp(EXPOSURE_PATTERN),
  limit: new RegExp(MONEY_PATTERN),
  deductible: new RegExp(MONEY_PATTERN),
}

const needs = (
  found: Partial<Record<Field, string>>,
  fields: readonly Field[],
  faults: ReturnType<typeof quoteFaults> = [],
  rest: NeedsInput['missing'] = [],
) => {
  const understood = Object.fromEntries(Object.entries(found).filter(([field]) => !fields.includes(field as Field)))
  const missing = fields.map((field) => ({
    field,
    type: faults.find(({ place }) => place[0] === field)?.message ?? TYPES[field],
    example: EXAMPLE[field],
  }))
  return new NeedsInput(understood, [...missing, ...rest])
}
