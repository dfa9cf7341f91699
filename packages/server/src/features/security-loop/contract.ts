import type { LoopRun } from './schemas.ts'

/** The lockfile of this build held to the committed advisories. MUST read both files for every call; rejects with
 *  `data_file_invalid` where the sample is not the committed one. */
export interface SecurityLoop {
  run(): Promise<LoopRun>
}
