import type { Job } from '../../platform/compute/job.ts'
import type { BurgersInput, BurgersResult } from './burgers/solve.ts'
import type { IdentifyJob, IdentifyOutcome } from './identify/job.ts'
import type { BenchReply, PinnHealth } from './schemas.ts'
import type { SelfTest } from './self-test.ts'

export interface Pinn {
  burgers: Job<BurgersInput, BurgersResult>
  identify: Job<IdentifyJob, IdentifyOutcome>
  /** Rejects with `artifact_digest_mismatch` where the file is not the committed one. */
  bench(): Promise<BenchReply>
  health(): Promise<PinnHealth>
  selfTest(): SelfTest
}
