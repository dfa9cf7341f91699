/** What is wrong with a request, in the closed words of the contract. */

import { LIMITS } from '../../../domain/claim-limits.ts'
import { InputError, type InputFault } from '../../../errors.ts'
import { firstCodePoints } from './code-points.ts'

export const PROBLEM_TYPES = Object.freeze([
  'json_invalid',
  'json_duplicate_key',
  'encoding_invalid',
  'content_type',
  'missing',
  'extra_forbidden',
  'string_type',
  'boolean_type',
  'number_type',
  'array_type',
  'object_type',
  'string_too_long',
  'blank',
  'pattern',
  'enum',
  'out_of_range',
  'too_many_items',
  'too_many_properties',
  'not_unique',
  'unknown_reference',
  'not_subset',
  'too_many_candidates',
] as const)
export type ProblemType = (typeof PROBLEM_TYPES)[number]
export type Path = readonly (string | number)[]

/** Keys are the caller's text: one huge key with a fault in each of its values must not come back 32 times. */
export const locationOf = (path: Path): (string | number)[] => [
  'body',
  ...path.map((step) => (typeof step === 'string' ? firstCodePoints(step, LIMITS.repeated_input) : step)),
]

export class Problems {
  readonly list: InputFault[] = []

  get full(): boolean {
    return this.list.length >= LIMITS.problems
  }

  add(path: Path, type: ProblemType, msg: string): void {
    if (!this.full) this.list.push({ loc: locationOf(path), msg, type })
  }

  /** Misfits end the request; there is nothing to compute on half a contract. */
  refuse(): void {
    if (this.list.length > 0) throw new InputError(this.list)
  }
}

/** A text that splits into more pieces than a reviewer is asked to read. */
export class TooManyCandidates extends InputError {
  readonly observed: number

  constructor(observed: number) {
    const msg = `splits into ${observed} candidates, at most ${LIMITS.candidates} are reviewed at once; send less text`
    super([{ loc: ['body', 'text'], msg, type: 'too_many_candidates' satisfies ProblemType }])
    this.observed = observed
  }
}

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/

/** A path holds at most two keys of the caller's choosing: half the allowance each. */
const shown = (key: string): string => JSON.stringify(firstCodePoints(key, LIMITS.repeated_input / 2))

/** `$.claims[0].claim_id`, from the location of a fault. */
export function pathText([root, ...steps]: InputFault['loc']): string {
  const from = root === 'body' ? '$' : String(root)
  return steps.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return PLAIN.test(step) && step.length <= LIMITS.repeated_input / 2 ? `${text}.${step}` : `${text}[${shown(step)}]`
  }, from)
}
