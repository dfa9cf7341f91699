/** The receipt of an analysis: digests of what came in and of what came out, and neither of them itself. */
import { portableDigest } from '../../domain/portable-digest.ts'
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

export function summarise(input: unknown, result: object, extra: object): Summary {
  const rounded = roundResult(result)
  return { result: rounded, beside: extra, input_sha256: portableDigest(input), output_sha256: portableDigest(rounded) }
}

/** `basis`: how it was computed. */
export function analysisDraft(
  { operation, basis }: { operation: string; basis: string },
  { result, beside: extra, ...digests }: Summary,
  inputSource: Call['inputSource'],
): Draft {
  const label = inputSource === 'CALLER' ? ('MODELED' as const) : ('SAMPLE' as const)
  const said = { label, input_source: inputSource, ...digests }
  return {
    chain: 'wirea',
    kind: 'analysis',
    payload: { operation, ...said },
    answer: { ...result, basis, ...said, ...roundResult(extra) },
  }
}
