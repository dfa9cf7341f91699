/** What a line of text says of a run: numbers with their units. A number that is not in the text is missing. */
import { NeedsInput, type Structured } from '../organ.ts'

/** With a sign, with groups of thousands or an exponent: what is read is the whole number or nothing. */
const NUMBER = '([-+]?(?:\\d{1,3}(?:,\\d{3}){1,4}(?:\\.\\d{1,15})?|\\d{1,15}(?:\\.\\d{1,15})?(?:e[-+]?\\d{1,3})?))'
const NOT_INSIDE = '(?<![\\w.,+-])'

interface Unit {
  field: string
  pattern: RegExp
  min: number
  max: number
}

const unit = (field: string, words: string, min: number, max: number): Unit => ({
  field,
  pattern: new RegExp(`${NOT_INSIDE}${NUMBER} ?(?:${words})(?![a-z0-9_])`, 'gi'),
  min,
  max,
})
const named = (field: string, min: number, max: number): Unit => ({
  field,
  // The word by itself is enough: a number behind it that cannot be read is missing, not left out.
  pattern: new RegExp(`(?<![a-z])${field}(?![a-z])(?: ?=? ?${NUMBER}(%?)(?![\\w%]|[.,]\\d))?`, 'gi'),
  min,
  max,
})

const UNITS: readonly Unit[] = [
  unit('cpu_s', 'cpu_s|cpu[ -]?seconds?|cpu s', 0, 1e6),
  unit('tdp_w', 'w|watts?', 0, 2000),
  unit('mem_gb', 'gb', 0, 4096),
  unit('wall_s', 'wall_s|s wall|wall seconds?', 0, 1e6),
  unit('tokens', 'tokens?', 0, 1e12),
  unit('j_per_token', 'j|j/token|joules?|joules? per token', 0, 1000),
  unit('gco2_kwh', 'g|g/kwh|gco2/kwh|gco2_kwh', 0, 1500),
  named('util', 0, 1),
  named('pue', 1, 3),
]

/** A number out of its bounds, or one of several for the same thing, is not understood. */
function readUnits(text: string) {
  const found: Record<string, number> = {}
  const unclear: string[] = []
  for (const { field, pattern, min, max } of UNITS) {
    const [first, ...more] = text.matchAll(pattern)
    if (first === undefined) continue
    const value = Number(first[1]?.replaceAll(',', '') ?? Number.NaN) / (first[2] === '%' ? 100 : 1)
    if (more.length === 0 && value >= min && value <= max) found[field] = value
    else unclear.push(field)
  }
  return { found, unclear }
}

const EXAMPLES: Readonly<Record<string, number>> = {
  ...{ cpu_s: 10, tdp_w: 65, util: 0.5, mem_gb: 8, wall_s: 20 },
  ...{ tokens: 1000, j_per_token: 0.3, pue: 1.2, gco2_kwh: 400 },
}
const missing = (fields: readonly string[]): NeedsInput['missing'] =>
  fields.map((field) => ({ field, type: 'number', example: EXAMPLES[field]! }))

export function energyPrompt(prompt: string, countTokens: (text: string) => number): Structured | NeedsInput {
  const { found, unclear } = readUnits(prompt)
  if (unclear.length > 0) return new NeedsInput(found, missing(unclear))
  const { tokens: said, j_per_token, cpu_s, tdp_w, util, mem_gb, wall_s, ...shared } = found
  const physical = { cpu_s, tdp_w, util, mem_gb, wall_s }
  if (said !== undefined || (cpu_s === undefined && tdp_w === undefined && mem_gb === undefined)) {
    if (said === undefined && j_per_token !== undefined)
      return new NeedsInput({ j_per_token, ...shared }, missing(['tokens']))
    const tokens = said ?? countTokens(prompt)
    if (j_per_token === undefined) return new NeedsInput({ tokens, ...shared }, missing(['j_per_token']))
    return { op: 'estimate', tokens, j_per_token, ...shared }
  }
  const lacking = lackingOf(physical)
  const given = Object.fromEntries(Object.entries(physical).filter(([, value]) => value !== undefined))
  return lacking.length > 0
    ? new NeedsInput({ ...given, ...shared }, missing(lacking))
    : { op: 'estimate', ...given, ...shared }
}

/** What the formula cannot do without, once some of it is given. */
export function lackingOf(given: Readonly<Record<string, unknown>>): string[] {
  const has = (field: string): boolean => given[field] !== undefined
  const needed = [
    ...(has('tdp_w') || has('util') || !has('mem_gb') ? ['cpu_s'] : []),
    ...(has('cpu_s') || has('util') || !has('mem_gb') ? ['tdp_w'] : []),
    ...(has('mem_gb') ? ['wall_s'] : []),
  ]
  return needed.filter((field) => !has(field))
}
