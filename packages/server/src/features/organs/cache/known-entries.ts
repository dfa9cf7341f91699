/** What a cache knows of its entries while it answers: the blocks of all of them and the vectors of those with a value. */
import { DenseVector, gramVector, type SparseVector } from '../retrieve/vectors.ts'
import { knownRun } from './blocks.ts'

interface KnownEntry {
  key: string
  salt: string
  blocks: readonly string[]
  /** Null where only the blocks are kept. */
  text: string | null
  /** Milliseconds since the epoch; null for ever. */
  expires: number | null
}

interface CachedEntry extends Omit<KnownEntry, 'text'> {
  vector: SparseVector | null
}

export class KnownEntries {
  readonly #entries = new Map<string, CachedEntry>()
  readonly #blocks = new Map<string, number>()
  /** Bytes of what is kept, about. */
  size = 0

  add({ text, ...entry }: KnownEntry): void {
    this.remove(entry.key)
    const cached = { ...entry, vector: text === null ? null : gramVector(text) }
    this.#entries.set(entry.key, cached)
    for (const block of entry.blocks) this.#blocks.set(block, (this.#blocks.get(block) ?? 0) + 1)
    this.size += sizeOf(cached)
  }

  remove(key: string): void {
    const cached = this.#entries.get(key)
    if (cached === undefined) return
    this.#entries.delete(key)
    for (const block of cached.blocks) {
      const holders = this.#blocks.get(block)! - 1
      if (holders === 0) this.#blocks.delete(block)
      else this.#blocks.set(block, holders)
    }
    this.size -= sizeOf(cached)
  }

  knownBlocks(names: readonly string[]): number {
    return knownRun(names, (name) => this.#blocks.has(name))
  }

  /** The entry with a value that is most like the text; null where there is none under this salt. */
  closest(text: string, salt: string, now: number): { key: string; similarity: number } | null {
    const asked = new DenseVector(gramVector(text))
    let best: { key: string; similarity: number } | null = null
    for (const { key, salt: own, vector, expires } of this.#entries.values()) {
      if (vector === null || own !== salt || (expires !== null && expires <= now)) continue
      const similarity = asked.cosine(vector)
      if (best === null || similarity > best.similarity || (similarity === best.similarity && key < best.key))
        best = { key, similarity }
    }
    return best
  }
}

const sizeOf = ({ blocks, vector }: CachedEntry): number =>
  400 + blocks.length * 100 + (vector?.dimensions.length ?? 0) * 6
