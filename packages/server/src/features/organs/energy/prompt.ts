/** What a line of text says of a run: numbers with their units. A number that is not in the text is missing. */
import { NeedsInput, type Structured } from '../organ.ts'
import { unread } from '../unread.ts'
import { FIELDS, type Field, lackingOf } from './formula.ts'
import INPUTS from './inputs.json' with { type: 'json' }

/** With a sign, with groups of thousands or an exponent: what is read is the whole number or nothing. */
const NUMBER = '([-+]?(?:\\d{1,3}(?:,\\d{3}){1,4}(?:\\.\\d{1,15})?|\\d{1,15}(?:\\.\\d{1,15})?(?:e[-+]?\\d{1,3})?))'
const NOT_INSIDE = '(?<![\\w.,+-])'

const PATTERNS = FIELDS.map(([field, { min, max, units }]) => ({
  ...{ field, min, max },
  pattern: new RegExp(
    units === undefined
      ? // The word by itself is enough: a number behind it that cannot be read is missing, not left out.
        `(?<![a-z])${field}(?![a-z])(?: ?=? ?${NUMBER}(%?)(?![\\w%]|[.,]\\d))?`
      : `${NOT_INSIDE}${NUMBER} ?(?:${units})(?![a-z0-9_])`,
    'gi',
  ),
}))

type Found = Partial<Record<Field, number>>

/** A number out of its bounds, or one of several for the same thing, is not understood. */
function readNumbers(text: string) {
  const found: Found = {}
  const unclear: Field[] = []
  const read: RegExpMatchArray[] = []
  for (const { field, pattern, min, max } of PATTERNS) {
    const [first, ...more] = text.matchAll(pattern)
    if (first === undefined) continue
    read.push(first, ...more)
    const value = Number(first[1]?.replaceAll(',', '') ?? Number.NaN) / (first[2] === '%' ? 100 : 1)
    if (more.length === 0 && value >= min && value <= max) found[field] = value
    else unclear.push(field)
  }
  return { found, unclear, read }
}

const needs = (understood: Found, fields: readonly Field[], rest: NeedsInput['missing'] = []): NeedsInput =>
  new NeedsInput(understood, [
    ...fields.map((field) => ({ field, type: 'number', example: INPUTS[field].example })),
    ...rest,
  ])

export async function energyPrompt(
  prompt: string,
  countTokens: (text: string) => Promise<number>,
): Promise<Structured | NeedsInput> {
  const { found, unclear, read } = readNumbers(prompt)
  if (unclear.length > 0) return needs(found, unclear)
  const rest = unread(prompt, read, '10 cpu_s at 65 W')
  const { tokens: said, j_per_token, pue, gco2_kwh, ...physical } = found
  const shared = { ...(pue === undefined ? {} : { pue }), ...(gco2_kwh === undefined ? {} : { gco2_kwh }) }
  const { cpu_s, tdp_w, mem_gb } = physical
  if ((cpu_s ?? tdp_w ?? mem_gb) !== undefined) {
    // Both forms at once are two answers to one question.
    const twice = (['tokens', 'j_per_token'] as const).filter((field) => found[field] !== undefined)
    const lacking = [...lackingOf(physical), ...twice]
    return lacking.length > 0 || rest.length > 0
      ? needs({ ...physical, ...shared }, lacking, rest)
      : { op: 'estimate', ...physical, ...shared }
  }
  if (said === undefined && j_per_token !== undefined) return needs({ j_per_token, ...shared }, ['tokens'])
  const tokens = said ?? (await countTokens(prompt))
  if (j_per_token === undefined) return needs({ tokens, ...shared }, ['j_per_token'])
  if (rest.length > 0) return needs({ tokens, j_per_token, ...shared }, [], rest)
  return { op: 'estimate', tokens, j_per_token, ...shared }
}
