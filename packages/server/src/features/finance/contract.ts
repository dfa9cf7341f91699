/** The port of finance that other rooms may use. Schemas and data shapes are in `domain/observation.ts`. */
import type { Observation, SourceId } from '../../domain/observation.ts'

/** Reads one source. Parameters are the source's own, as texts; those left out take their defaults. Never rejects for what
 *  the other side does; a parameter out of its bounds throws `InputError`, a 422 with its name. */
export type Observe = (
  source: SourceId,
  parameters: Record<string, string>,
  options: { fresh?: boolean; signal: AbortSignal },
) => Promise<Observation>
