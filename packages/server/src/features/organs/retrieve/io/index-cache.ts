/** Indexes of stored texts, kept in memory as long as there is room and brought up to date before each use. One index
 *  holds the texts of one partition and no others. */
import { LRUCache } from 'lru-cache'
import type { SearchedText } from '../search.ts'
import { TextIndex } from './text-index.ts'

const MAX_CHARACTERS = 64 * 1024 * 1024
const OWN_CHARACTERS = 4096

/** Where the stored texts stand. */
export interface Standing {
  /** One more with every write. */
  revision: number
  /** The revision of the newest removal: an index from before holds what is gone. */
  purged: number
}

interface Kept<T extends SearchedText> {
  index: TextIndex<T>
  revision: number
}

export class IndexCache<T extends SearchedText> {
  readonly #kept = new LRUCache<string, Kept<T>>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ index }) => index.characters + OWN_CHARACTERS,
    dispose: ({ index }, _key, reason) => {
      if (reason !== 'set' && !this.#growing.has(index)) index.close()
    },
  })
  readonly #growing = new Set<TextIndex<T>>()
  readonly #building = new Map<string, Promise<TextIndex<T>>>()

  /** `load` gives what was written after a revision, in pages. Whoever asks while it is built waits for the same one. */
  async get(key: string, standing: Standing, load: (since: number) => AsyncIterable<T[]>): Promise<TextIndex<T>> {
    const known = this.#kept.get(key)
    if (known !== undefined && known.revision === standing.revision) return known.index
    const running = this.#building.get(key)
    if (running !== undefined) {
      await running
      return this.get(key, standing, load)
    }
    const build = this.#build(key, standing, load).finally(() => this.#building.delete(key))
    this.#building.set(key, build)
    return build
  }

  async #build(key: string, standing: Standing, load: (since: number) => AsyncIterable<T[]>): Promise<TextIndex<T>> {
    const known = this.#kept.get(key)
    const usable = known !== undefined && known.revision >= standing.purged && known.revision < standing.revision
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

  /** Nothing of it stays in memory. */
  drop(key: string): void {
    this.#kept.delete(key)
  }
}
