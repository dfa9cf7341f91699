/** The hosted space as the background last read it. What the operator configured stands beside the reading and never in
 *  its place. */
import type { Fact } from '../../ports.ts'
import type { SpaceReading } from '../readings/contract.ts'

export const hostedSpaceOf = (space: SpaceReading, configured: Fact) => ({
  sha: space.sha,
  status: space.name === null ? 'NOT_CONFIGURED' : space.sha === null ? 'UNREACHABLE' : 'OBSERVED',
  source: space.source,
  space: space.name,
  configured_env: configured.value,
  env_matches_live: space.sha !== null && configured.value === space.sha,
  mode: space.mode,
  age_seconds: space.age_seconds,
})
