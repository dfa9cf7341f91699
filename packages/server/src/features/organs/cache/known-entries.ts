/** What a cache knows of its entries while it answers: the blocks of all of them and the vectors of those with a value. */
import { DenseVector, gramVector, type SparseVector } from '../search/vectors.ts'
import { knownRun } from './blocks.ts'
import { indexedBytes, type StoredEntry } from './entries.ts'

export interface EntryQuery {
  text: string
  salt: string
  blocks: readonly string[]
  /** Milliseconds since the epoch. */
  now: number
}

export type KnownAnswer = ReturnType<KnownEntries['answer']>

type Added = Pick<StoredEntry, 'salt' | 'blocks' | 'text' | 'expires'>
interface KnownEntry extends Omit<Added, 'text'> {
  vector: SparseVector | null
  bytes: number
}

export class KnownEntries {
  readonly #entries = new Map<string, KnownEntry>()
  readonly #blocks = new Map<string, number>()
  /** Bytes of what is kept, about. */
  size = 0

  add(entries: readonly { key: string; value: Added }[]): void {
    for (const { key, value } of entries) {
      this.remove(key)
      const { salt, blocks, text, expires } = value
      const [vector, bytes] = [text === null ? null : gramVector(text), indexedBytes(value)]
      this.#entries.set(key, { salt, blocks, expires, vector, bytes })
      for (const block of blocks) this.#blocks.set(block, (this.#blocks.get(block) ?? 0) + 1)
      this.size += bytes
    }
  }

  remove(key: string): void {
    const known = this.#entries.get(key)
    if (known === undefined) return
    this.#entries.delete(key)
    for (const block of known.blocks) {
      const holders = this.#blocks.get(block)! - 1
      if (holders === 0) this.#blocks.delete(block)
      else this.#blocks.set(block, holders)
    }
    this.size -= known.bytes
  }

  /** How many blocks from the first on are known, and the entry with a value that is most like the text; null where there is
   *  none under this salt. */
  answer({ text, salt, blocks, now }: EntryQuery) {
    const asked = new DenseVector(gramVector(text))
    let close: { key: string; similarity: number } | null = null
    for (const [key, { salt: own, vector, expires }] of this.#entries) {
      if (vector === null || own !== salt || (expires !== null && expires <= now)) continue
      const similarity = asked.cosine(vector)
      if (close === null || similarity > close.similarity || (similarity === close.similarity && key < close.key))
        close = { key, similarity }
    }
    return { reused: knownRun(blocks, (name) => this.#blocks.has(name)), close }
  }

  close(): void {
    this.#entries.clear()
  }
}
