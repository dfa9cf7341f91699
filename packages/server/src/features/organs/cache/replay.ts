/** Plays a list of prompts through an empty cache of its own. */
import { LRUCache } from 'lru-cache'
import { blockNames } from './blocks.ts'
import { KnownEntries } from './known-entries.ts'
import { differenceOf } from './same-question.ts'

interface ReplayOptions {
  block: number
  capacity: number
  threshold: number
  tenant: string
  salt: string
}

export const KINDS = ['exact', 'prefix', 'semantic', 'miss'] as const
export type HitKind = (typeof KINDS)[number]

/** Each prompt is looked up, then kept. */
export class Replay {
  readonly counts = {
    exact: 0,
    prefix: 0,
    semantic: 0,
    miss: 0,
    tokens: 0,
    tokens_saved: 0,
    evictions: 0,
    false_hits: 0,
  }
  readonly #options: ReplayOptions
  readonly #known = new KnownEntries()
  readonly #expected: LRUCache<string, { expected: string | undefined }>

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#expected = new LRUCache({
      max: options.capacity,
      dispose: (_entry, key, reason) => {
        this.#known.remove(key)
        if (reason === 'evict') this.counts.evictions += 1
      },
      noDisposeOnSet: true,
    })
  }

  play({ text, expected }: { text: string; expected?: string }, tokens: readonly number[]): void {
    const { block, threshold, tenant, salt } = this.#options
    const blocks = blockNames(tokens, block, tenant, salt)
    const { reused, close } = this.#known.answer({ text, salt, blocks, now: 0 })
    const isLike = close !== null && close.similarity >= threshold && differenceOf(text, close.key) === null
    const like = isLike ? close.key : null
    const hit = this.#expected.has(text) ? text : like
    const kind: HitKind = hit === null ? (reused > 0 ? 'prefix' : 'miss') : hit === text ? 'exact' : 'semantic'
    const answered = hit === null ? undefined : this.#expected.get(hit)?.expected
    if (kind === 'semantic' && expected !== undefined && answered !== undefined && answered !== expected)
      this.counts.false_hits += 1
    this.counts[kind] += 1
    this.counts.tokens += tokens.length
    this.counts.tokens_saved += hit === null ? reused * block : tokens.length
    if (kind === 'exact') return
    this.#expected.set(text, { expected })
    this.#known.add([{ key: text, value: { salt, blocks, text, expires: null } }])
  }
}
