/** A job that tells parts of its result before all of it is there. */
import type { JobContext } from '../../src/platform/compute/job.ts'

export const tellParts = ({ to }: { to: number }, { part }: JobContext): string => {
  for (let at = 0; at < to; at++) part({ at })
  return 'told'
}
