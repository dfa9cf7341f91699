/** Indexes over stored documents, made of them and thrown away at will. They live in a thread of their own, so that the
 *  main loop waits neither for one to be built nor for one to be asked. One index holds documents of one partition only. */
import { parseJsonText } from '@orch/core'
import { LRUCache } from 'lru-cache'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** Where the stored documents stand. */
export interface Revision {
  /** One more with every write. */
  revision: number
  /** The revision of the newest removal that is not listed: an index from before holds what is gone. */
  purged: number
}

/** A page of what was written after a revision. */
export interface Page {
  /** The key of each document and its JSON text. */
  rows: [key: string, value: string][]
  /** Keys of documents that are gone, unless they are among the rows. */
  removed?: readonly string[]
}

export interface Ask<Query> extends Revision {
  key: string
  /** Null where only the index has to be there. */
  query: Query | null
}

export interface Add extends Page {
  key: string
  /** What the index stood at; -1 for the first page of a new one. */
  since: number
  /** With the last page: what it stands at from then on. */
  revision: number | null
  /** Milliseconds since the epoch. */
  now: number
}

interface DerivedIndex<Value, Query, Answer> {
  /** About how many bytes it takes. */
  readonly size: number
  add(values: { key: string; value: Value }[], now: number): void
  remove(key: string): void
  answer(query: Query): Answer
  close(): void
}

/** The jobs of one kind of index. Documents of another shape are left out: whoever can write to the store wrote them. */
export function derivedIndexes<Schema extends TSchema, Query, Answer>(
  schema: Schema,
  maxSize: number,
  make: () => DerivedIndex<Static<Schema>, Query, Answer>,
) {
  const shape = Compile(schema)
  const known = new LRUCache<string, { index: ReturnType<typeof make>; revision: number }>({
    maxSize,
    // One that is larger than all the room there is stays as well: it would be built anew for every question.
    sizeCalculation: ({ index }) => Math.min(maxSize, index.size + 4096),
    dispose: ({ index }, _key, reason) => reason !== 'set' && index.close(),
  })
  return {
    /** What the index answers, or since when documents have to be added to it first. */
    ask({ key, revision, purged, query }: Ask<Query>): { answer: Answer | null } | { since: number } {
      const found = known.get(key)
      if (found === undefined || found.revision < purged) return { since: -1 }
      if (found.revision < revision) return { since: found.revision }
      return { answer: query === null ? null : found.index.answer(query) }
    },
    /** False where the index that the page belongs to is gone meanwhile. */
    add({ key, since, rows, removed = [], revision, now }: Add): boolean {
      if (since < 0) {
        known.delete(key)
        known.set(key, { index: make(), revision: -1 })
      }
      const found = known.get(key)
      if (found === undefined) return false
      const { index, revision: before } = found
      for (const one of removed) index.remove(one)
      const values = rows.map(([row, value]) => ({ key: row, value: parseJsonText(value) }))
      index.add(
        values.flatMap(({ key, value }) => (shape.Check(value) ? [{ key, value }] : [])),
        now,
      )
      known.set(key, { index, revision: revision ?? before })
      return true
    },
    drop(key: string): null {
      known.delete(key)
      return null
    },
  }
}
