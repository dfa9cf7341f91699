/** The hosted space, read in the form of the Hugging Face spaces API. */
import { OutboundFault } from '../../../adapters/outbound/contract.ts'
import type { SpaceFacts } from '../contract.ts'
import { commit, fieldsOf, flag, instant, optional, text } from './fields.ts'
import { readingKey } from './latest.ts'
import type { Source } from './source.ts'

export interface SpaceSettings {
  /** `owner/name`. */
  name: string
  origin: string
}

export const spaceUrl = ({ name, origin }: SpaceSettings): string => `${origin}/api/spaces/${name}`

export const spaceSource = (settings: SpaceSettings): Source<SpaceFacts> => ({
  provider: 'space',
  path: spaceUrl(settings),
  key: readingKey('space', spaceUrl(settings)),
  toFacts(reply) {
    const from = fieldsOf(reply)
    const id = text(201)(from, 'id')
    if (id.toLowerCase() !== settings.name.toLowerCase()) throw new OutboundFault('IDENTITY_MISMATCH')
    const runtime = optional(from, 'runtime', (at, field) => fieldsOf(at[field]))
    return {
      id,
      sha: commit(from, 'sha'),
      stage: runtime === null ? null : optional(runtime, 'stage', text(32)),
      sdk: optional(from, 'sdk', text(32)),
      last_modified: optional(from, 'lastModified', instant),
      private: optional(from, 'private', flag),
    }
  },
})
