/** What the documents of this surface are made of: everything comes in, nothing is read here. */

import type { BuildFacts, Fact, SignerStatus } from '../../ports.ts'
import type { SpaceReading } from '../readings/contract.ts'
import type { Identity } from './contract.ts'

export interface IdentityFacts {
  build: BuildFacts
  identity: Identity
  space: SpaceReading
  signer: SignerStatus
  now: string
}

/** Where a record must hold a string, unknown is said with a word. */
export const UNKNOWN = 'unknown'

export const orUnknown = ({ value }: Fact): string => value ?? UNKNOWN

export const compareCommits = (one: string | null, other: string | null): 'MATCH' | 'CONFLICT' | 'UNKNOWN' =>
  one === null || other === null ? 'UNKNOWN' : one === other ? 'MATCH' : 'CONFLICT'

export const doiUrl = (value: string): string => `https://doi.org/${value}`

/** Sources that disagree about a field leave it open which of them to believe. */
export const isContested = ({ conflicts }: Pick<BuildFacts, 'conflicts'>, ...fields: string[]): boolean =>
  conflicts.some(({ field }) => fields.includes(field))
