/** The claim compiler as one thing that loads or does not. */

import { LIMITS, SEMANTIC_THRESHOLD } from '../../../domain/claim-limits.ts'
import { atomize, splitWithinLimit } from './atomize.ts'
import { readAtomizeRequest, readEvaluateRequest } from './contract.ts'
import { evaluate } from './evaluate.ts'
import { wantedDigests } from './local-marks.ts'
import { PRECEDENCE, RESPONSE_HEADER, RUBRIC, STATES, STRENGTH } from './rubric.ts'
import { ABBREVIATIONS, MARKERS, MONTHS, SPLITTER_VERSION, STARTERS } from './splitter-tables.ts'

const NOT_DONE = Object.freeze([
  'truth: no statement is checked against the world',
  'entailment: whether evidence implies a claim is not computed',
  'fetching sources: no reference is opened, no address is called',
  'resolving contradictions: a resolution is the caller’s word with its reference',
  'withheld evidence: an adverse reference that was not sent cannot be seen; input_sha256 in the receipt shows later what was',
])

/** The gate described by the very tables it runs on. */
const describe = () => ({
  ready: true as const,
  ...RESPONSE_HEADER,
  states: STATES,
  strength_order: STRENGTH,
  rubric: RUBRIC,
  precedence: PRECEDENCE,
  semantic_threshold: SEMANTIC_THRESHOLD,
  limits: LIMITS,
  splitter: {
    version: SPLITTER_VERSION,
    abbreviations: ABBREVIATIONS,
    starters: STARTERS,
    markers: MARKERS,
    months: MONTHS,
  },
  not_done: NOT_DONE,
})

export type ClaimCompiler = typeof claimCompiler

export const claimCompiler = {
  describe,
  readAtomize: readAtomizeRequest,
  readEvaluate: readEvaluateRequest,
  /** Throws where the text splits into more candidates than one answer lists. */
  split: splitWithinLimit,
  atomize,
  wantedDigests,
  evaluate,
}
