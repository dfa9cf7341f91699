/** A job that is handed bytes. */
import type { JobContext } from '../../src/platform/compute/job.ts'

export const sumBytes = (_: object, { bytes }: JobContext): number | null =>
  bytes?.reduce((total, one) => total + one, 0) ?? null
