/** The receipt of an analysis: digests of what came in and of what came out, and neither of them itself. */
import { CanonicalError, canonicalBytesPortable, sha256Hex } from '@orch/core'
import type { Call } from '../../operation.ts'
import type { Draft } from '../../ports.ts'
import { roundResult } from './rounding.ts'

/** What an analysis came to, with its digests: the part of the work that grows with the input. */
export interface Summary {
  result: object
  /** What goes with the result and is in no digest. */
  beside: object
  input_sha256: string
  output_sha256: string
}

export function summarise(input: unknown, result: object, beside: object): Summary {
  const rounded = roundResult(result)
  return { result: rounded, beside, input_sha256: digestOf(input), output_sha256: digestOf(rounded) }
}

/** `basis`: how it was computed. */
export function analysisDraft(
  { operation, basis }: { operation: string; basis: string },
  { result, beside, ...digests }: Summary,
  inputSource: Call['inputSource'],
): Draft {
  const label = inputSource === 'CALLER' ? ('MODELED' as const) : ('SAMPLE' as const)
  const said = { label, input_source: inputSource, ...digests }
  return {
    chain: 'wirea',
    kind: 'analysis',
    payload: { operation, ...said },
    answer: { ...result, basis, ...said, ...roundResult(beside) },
  }
}

/** Of the canonical form in which numbers that would need an exponent in some language are texts. */
function digestOf(value: unknown): string {
  try {
    return sha256Hex(canonicalBytesPortable(value))
  } catch (error) {
    if (!(error instanceof CanonicalError)) throw error
    return sha256Hex(canonicalBytesPortable(portable(value)))
  }
}

function portable(value: unknown): unknown {
  if (typeof value === 'number') return isPlain(value) ? value + 0 : plainDecimal(value)
  if (Array.isArray(value)) return value.map(portable)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, portable(field)]))
}

const isPlain = (value: number): boolean =>
  Number.isInteger(value) ? Number.isSafeInteger(value) : Math.abs(value) >= 1e-4

/** The shortest digits of a double, written without an exponent. */
function plainDecimal(value: number): string {
  const [digits = '', exponent = '0'] = Math.abs(value).toExponential().split('e')
  const sign = value < 0 ? '-' : ''
  const [whole = '', places = ''] = digits.split('.')
  const point = 1 + Number(exponent)
  const all = whole + places
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  return `${sign}${all.slice(0, point).padEnd(point, '0')}${all.length > point ? `.${all.slice(point)}` : ''}`
}
