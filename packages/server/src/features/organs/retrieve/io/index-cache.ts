/** Indexes of stored texts, kept in memory as long as there is room and brought up to date before each use. One index
 *  holds the texts of one partition and no others. */
import { LRUCache } from 'lru-cache'
import type { KeptSearches, SearchEngine, SearchedText, TextsStanding } from '../search.ts'
import { TextIndex } from './text-index.ts'

const MAX_CHARACTERS = 64 * 1024 * 1024
const OWN_CHARACTERS = 4096

interface Kept<T extends SearchedText> {
  index: TextIndex<T>
  revision: number
}

class IndexCache<T extends SearchedText> implements KeptSearches<T> {
  readonly #kept = new LRUCache<string, Kept<T>>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ index }) => index.characters + OWN_CHARACTERS,
    dispose: ({ index }, _key, reason) => {
      if (reason !== 'set' && !this.#growing.has(index)) index.close()
    },
  })
  readonly #growing = new Set<TextIndex<T>>()
  readonly #building = new Map<string, Promise<TextIndex<T>>>()

  /** Whoever asks while an index is built waits for the same one. */
  async get(key: string, standing: TextsStanding, load: (since: number) => AsyncIterable<T[]>): Promise<TextIndex<T>> {
    const known = this.#kept.get(key)
    if (known !== undefined && known.revision >= standing.revision) return known.index
    const running = this.#building.get(key)
    if (running !== undefined) {
      await running
      return this.get(key, standing, load)
    }
    const build = this.#build(key, standing, load).finally(() => this.#building.delete(key))
    this.#building.set(key, build)
    return build
  }

  async #build(
    key: string,
    standing: TextsStanding,
    load: (since: number) => AsyncIterable<T[]>,
  ): Promise<TextIndex<T>> {
    const known = this.#kept.get(key)
    const usable = known !== undefined && known.revision >= standing.purged
    const index = usable ? known.index : new TextIndex<T>()
    this.#growing.add(index)
    try {
      for await (const page of load(usable ? known.revision : -1)) index.add(page)
    } finally {
      this.#growing.delete(index)
    }
    if (!usable) this.#kept.delete(key)
    this.#kept.set(key, { index, revision: standing.revision })
    return index
  }

  drop(key: string): void {
    this.#kept.delete(key)
  }
}

export const fullText: SearchEngine = {
  index: (texts) => new TextIndex(texts),
  keep: () => new IndexCache(),
}
