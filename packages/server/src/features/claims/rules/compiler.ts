/** The claim compiler as one thing that loads or does not. */
import { atomize, splitWithinLimit } from './atomize.ts'
import { readAtomizeRequest, readEvaluateRequest } from './contract.ts'
import { evaluate } from './evaluate.ts'
import { describe } from './info.ts'
import { wantedDigests } from './local-marks.ts'

export interface ClaimCompiler {
  describe: typeof describe
  readAtomize: typeof readAtomizeRequest
  readEvaluate: typeof readEvaluateRequest
  /** Throws where the text splits into more candidates than one answer holds. */
  split: typeof splitWithinLimit
  atomize: typeof atomize
  wantedDigests: typeof wantedDigests
  evaluate: typeof evaluate
}

export const claimCompiler: ClaimCompiler = {
  describe,
  readAtomize: readAtomizeRequest,
  readEvaluate: readEvaluateRequest,
  split: splitWithinLimit,
  atomize,
  wantedDigests,
  evaluate,
}
