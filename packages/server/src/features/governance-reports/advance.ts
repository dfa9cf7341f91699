import type { Viewer } from '../../domain/visibility.ts'
import type { Advance } from './schemas.ts'

/** Sample mode as one caller has it: the operator’s switch, and the right to use it. */
export const samplesFor = (viewer: Viewer, sampleMode: boolean): boolean =>
  sampleMode && viewer.scopes.has('sample:write')

/** `append` says whether it appended, or found that the same request did before. */
export async function advanced(requested: number, allowed: boolean, append: () => Promise<boolean>): Promise<Advance> {
  if (requested === 0) return { requested, appended: 0, reason: null }
  if (!allowed) return { requested, appended: 0, reason: 'SAMPLE_MODE_OFF' }
  return (await append()) ? { requested, appended: 1, reason: null } : { requested, appended: 0, reason: 'REPLAYED' }
}
