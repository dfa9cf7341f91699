/** The hosted space, read in the form of the Hugging Face spaces API. */
import type { SpaceFacts } from '../contract.ts'
import { factsOf, type Kept, readingKey } from './cache.ts'
import type { Outside } from './client.ts'
import { commit, fieldsOf, flag, instant, optional, text, Unfit } from './fields.ts'

export interface SpaceSettings {
  /** `owner/name`. */
  name: string
  origin: string
}

export const spaceUrl = ({ name, origin }: SpaceSettings): string => `${origin}/api/spaces/${name}`
export const spaceKey = (settings: SpaceSettings): string => readingKey('space', spaceUrl(settings))

export async function readSpace(
  settings: SpaceSettings,
  outside: Outside,
  kept: Kept,
  signal: AbortSignal,
): Promise<void> {
  const found = await outside.json({ provider: 'space', url: spaceUrl(settings) }, signal)
  kept.keep(
    spaceKey(settings),
    factsOf(found, (value) => spaceFacts(value, settings.name)),
  )
}

function spaceFacts(value: unknown, name: string): SpaceFacts {
  const from = fieldsOf(value)
  const id = text(201)(from, 'id')
  if (id.toLowerCase() !== name.toLowerCase()) throw new Unfit('IDENTITY_MISMATCH')
  const runtime = optional(from, 'runtime', (at, field) => fieldsOf(at[field]))
  return {
    id,
    sha: commit(from, 'sha'),
    stage: runtime === null ? null : optional(runtime, 'stage', text(32)),
    sdk: optional(from, 'sdk', text(32)),
    last_modified: optional(from, 'lastModified', instant),
    private: optional(from, 'private', flag),
  }
}
