/** Plays a list of prompts through an empty cache of its own. */
import { LRUCache } from 'lru-cache'
import { blockNames } from './blocks.ts'
import { KnownEntries } from './known-entries.ts'

interface ReplayedPrompt {
  text: string
  expected?: string
}

interface ReplayOptions {
  block: number
  capacity: number
  threshold: number
  tenant: string
  salt: string
}

export type HitKind = 'exact' | 'prefix' | 'semantic' | 'miss'

/** Each prompt is looked up, then kept. */
export class Replay {
  readonly counts: Record<HitKind, number> = { exact: 0, prefix: 0, semantic: 0, miss: 0 }
  readonly #options: ReplayOptions
  readonly #known = new KnownEntries()
  readonly #entries: LRUCache<string, { expected: string | undefined }>
  evictions = 0
  falseHits = 0
  tokens = 0
  tokensSaved = 0

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#entries = new LRUCache({
      max: options.capacity,
      dispose: (_entry, key, reason) => {
        this.#known.remove(key)
        if (reason === 'evict') this.evictions += 1
      },
      noDisposeOnSet: true,
    })
  }

  play({ text, expected }: ReplayedPrompt, tokens: readonly number[]): HitKind {
    const { block, threshold, tenant, salt } = this.#options
    const blocks = blockNames(tokens, block, tenant, salt)
    const { reused, close } = this.#known.answer({ text, salt, blocks, now: 0 })
    const isClose = close !== null && close.similarity >= threshold
    const found: HitKind = isClose ? 'semantic' : reused > 0 ? 'prefix' : 'miss'
    const kind = this.#entries.has(text) ? 'exact' : found
    const hit = kind === 'exact' ? text : kind === 'semantic' ? close!.key : null
    const answered = hit === null ? undefined : this.#entries.get(hit)?.expected
    if (kind === 'semantic' && expected !== undefined && answered !== undefined && answered !== expected)
      this.falseHits += 1
    this.counts[kind] += 1
    this.tokens += tokens.length
    this.tokensSaved += hit === null ? reused * block : tokens.length
    if (kind === 'exact') return kind
    this.#entries.set(text, { expected })
    this.#known.add([{ key: text, value: { salt, blocks, text, expires: null } }])
    return kind
  }
}
