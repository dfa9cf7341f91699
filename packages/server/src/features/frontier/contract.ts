import type { FrontierRegistry } from './registry.ts'
import type { LiveMetadata } from './schemas.ts'

export interface Frontier {
  /** The committed registry, read for this call; rejects with `data_file_invalid` where it is another. */
  registry(): Promise<{ registry: FrontierRegistry; sha256: string }>
  /** Of each repository once, `owner/name`. Never rejects for what the other side does. */
  metadata(repositories: readonly string[], signal: AbortSignal): Promise<Record<string, LiveMetadata>>
  /** Ids of the operations that the router answers now. */
  served(): ReadonlySet<string>
}
