/** Indexes of stored texts, kept in memory as long as there is room and brought up to date before each use. One index
 *  holds the texts of one partition and no others. */
import { LRUCache } from 'lru-cache'
import type { SearchCache, SearchEngine, SearchedText, TextsRevision } from '../search.ts'
import { TextIndex } from './text-index.ts'

const MAX_CHARACTERS = 64 * 1024 * 1024
const OWN_CHARACTERS = 4096

interface CachedEntry<T extends SearchedText> {
  index: TextIndex<T>
  revision: number
}

class IndexCache<T extends SearchedText> implements SearchCache<T> {
  readonly #cached = new LRUCache<string, CachedEntry<T>>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ index }) => index.characters + OWN_CHARACTERS,
    dispose: ({ index }, _key, reason) => {
      if (reason !== 'set' && !this.#growing.has(index)) index.close()
    },
  })
  readonly #growing = new Set<TextIndex<T>>()
  readonly #building = new Map<string, Promise<TextIndex<T>>>()

  /** Whoever asks while an index is built waits for the same one. */
  async get(key: string, wanted: TextsRevision, load: (since: number) => AsyncIterable<T[]>): Promise<TextIndex<T>> {
    const known = this.#cached.get(key)
    if (known !== undefined && known.revision >= wanted.revision) return known.index
    const running = this.#building.get(key)
    if (running !== undefined) {
      await running
      return this.get(key, wanted, load)
    }
    const build = this.#build(key, wanted, load).finally(() => this.#building.delete(key))
    this.#building.set(key, build)
    return build
  }

  async #build(key: string, wanted: TextsRevision, load: (since: number) => AsyncIterable<T[]>): Promise<TextIndex<T>> {
    const known = this.#cached.get(key)
    const usable = known !== undefined && known.revision >= wanted.purged
    const index = usable ? known.index : new TextIndex<T>()
    this.#growing.add(index)
    try {
      for await (const page of load(usable ? known.revision : -1)) index.add(page)
    } finally {
      this.#growing.delete(index)
    }
    if (!usable) this.#cached.delete(key)
    this.#cached.set(key, { index, revision: wanted.revision })
    return index
  }

  drop(key: string): void {
    this.#cached.delete(key)
  }
}

export const fullText: SearchEngine = {
  index: (texts) => new TextIndex(texts),
  keep: () => new IndexCache(),
}
