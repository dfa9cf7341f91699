/** The body of a reply as a value: strict JSON, and numbers by their digits where the caller computes with them. */
import { JsonError, parseStrictJson, utf8Decode } from '@orch/core'
import { type FailureCode, OutboundFault } from './contract.ts'

/** The reviver gets the digits of a number as they stand in the text. */
type ParseWithSource = (text: string, reviver: typeof toDecimal) => unknown

export function parseReply(bytes: Uint8Array, decimals: boolean): unknown {
  const text = utf8Decode(bytes)
  if (text === null) throw new OutboundFault('INVALID_JSON')
  try {
    const value = parseStrictJson(text)
    return decimals ? (JSON.parse as ParseWithSource)(text, toDecimal) : value
  } catch (error) {
    if (error instanceof JsonError) throw new OutboundFault(faultCode(error, text))
    throw error
  }
}

function faultCode({ code, offset }: JsonError, text: string): FailureCode {
  if (code === 'duplicate_key') return 'DUPLICATE_JSON_KEY'
  const isNonfinite = code === 'number_range' || /^-?(?:NaN|Infinity)/.test(text.slice(offset, offset + 10))
  return isNonfinite ? 'NONFINITE_JSON' : 'INVALID_JSON'
}

function toDecimal(_key: string, value: unknown, context: { source?: string }): unknown {
  return typeof value === 'number' && context.source !== undefined ? decimalText(context.source) : value
}

const MAX_DIGITS = 31
const MAX_FRACTION = 30

/** Plain digits without an exponent and without zeros that say nothing; at most 1e30 and 30 digits after the point. */
export function decimalText(lexeme: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(lexeme) ?? []
  const exponent = Number(power)
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  if (digits === '' && whole !== '') return '0'
  // The point stands so many digits from the left; what lies far outside the bounds is refused before zeros are written.
  const point = digits.length - fraction.length + exponent
  const significant = digits.replace(/0+$/, '')
  if (whole === '' || point > MAX_DIGITS || significant.length - point > MAX_FRACTION)
    throw new OutboundFault('INVALID_SOURCE_NUMBER')
  const padded = significant.padStart(significant.length + Math.max(0, -point + 1), '0').padEnd(Math.max(1, point), '0')
  const at = point <= 0 ? padded.length - (significant.length - point) : point
  const [left, right] = [padded.slice(0, at), padded.slice(at)]
  if (left.length === MAX_DIGITS && !(left === `1${'0'.repeat(MAX_DIGITS - 1)}` && right === ''))
    throw new OutboundFault('INVALID_SOURCE_NUMBER')
  return `${sign}${left === '' ? '0' : left}${right === '' ? '' : `.${right}`}`
}
