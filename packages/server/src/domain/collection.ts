/** Stored documents of one kind: where each lies, whose it is, what lists are ordered by and what shape it has. A feature
 *  declares its collection once and never handles rows, JSON text or versions by hand. */
import type { Static, TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { ServiceError } from '../errors.ts'
import type { DocumentQuery, DocumentRow, DocumentWrite } from '../ledger/contract.ts'
import type { Ledger } from '../ports.ts'
import { documentKey } from './document-key.ts'
import { parseJson } from './stored-receipt.ts'

const ATTEMPTS = 5

interface CollectionSpec<Id, Schema extends TSchema> {
  space: string
  /** 64 hex digits, made by `documentKey`. */
  key(id: Id): string
  /** The partition it belongs to. */
  owner(id: Id): string
  state?(value: Static<Schema>): string
  /** What lists are ordered by; `now` in milliseconds since the epoch. */
  rank(value: Static<Schema>, now: number): number
  schema: Schema
}

/** A document with the row it was read from; a write on top of it happens only if it is still at that version. */
interface Stored<T> {
  row: DocumentRow
  value: T
}

type Reader = Pick<Ledger['reader'], 'document' | 'documents'>
type Store = { reader: Reader } & Pick<Ledger, 'writeDocuments'>

/** The rows of a query in its order, a page of `limit` at a time. */
export async function* documentPages(
  reader: Pick<Reader, 'documents'>,
  query: DocumentQuery,
): AsyncGenerator<DocumentRow[]> {
  let { after } = query
  for (;;) {
    const page = await reader.documents({ ...query, ...(after && { after }) })
    yield page
    if (page.length < query.limit) return
    const { rank, key } = page.at(-1)!
    after = { rank, key }
  }
}

/** A collection may be made anew for every change; its schema is compiled once. */
const compiled = new WeakMap<TSchema, Validator>()

export function collection<Id, Schema extends TSchema>(spec: CollectionSpec<Id, Schema>) {
  type Value = Static<Schema>
  const { space } = spec
  const shape = compiled.get(spec.schema) ?? Compile(spec.schema)
  compiled.set(spec.schema, shape)

  /** Null for a text of another shape: whoever can write to the store wrote it. */
  function read(row: DocumentRow): Stored<Value> | null {
    const value = parseJson(row.value)
    return shape.Check(value) ? { row, value: value as Value } : null
  }

  /** Null where there is none. A document of another shape is refused, not guessed at. */
  async function get(reader: Reader, id: Id): Promise<Stored<Value> | null> {
    const row = await reader.document(space, spec.key(id))
    const stored = row && read(row)
    if (row !== null && stored === null)
      throw new ServiceError('stored_record_altered', `a document of the kind ${space} is not of its shape`)
    return stored
  }

  /** Rows of another shape are left out. */
  const list = async (reader: Reader, query: Omit<DocumentQuery, 'space'>): Promise<Stored<Value>[]> =>
    (await reader.documents({ ...query, space })).flatMap((row) => read(row) ?? [])

  /** The same without end, read a page of `limit` at a time. */
  async function* each(reader: Reader, query: Omit<DocumentQuery, 'space'>): AsyncGenerator<Stored<Value>> {
    for await (const page of documentPages(reader, { ...query, space })) yield* page.flatMap((row) => read(row) ?? [])
  }

  /** The write that makes `value` of what was read, to be committed with a receipt. `before` null: there must be none. */
  const write = (id: Id, before: Stored<Value> | null, value: Value, now: number): DocumentWrite => ({
    space,
    key: spec.key(id),
    expect: before?.row.version ?? 0,
    owner: spec.owner(id),
    state: spec.state?.(value) ?? '',
    rank: spec.rank(value, now),
    value: JSON.stringify(value),
  })

  const removal = ({ row: { key, version, owner, state, rank } }: Stored<Value>): DocumentWrite => ({
    ...{ space, key, owner, state, rank },
    expect: version,
    value: null,
  })

  /** Without a receipt; false where somebody else was first. */
  const put = (store: Store, id: Id, before: Stored<Value> | null, value: Value, now: number): Promise<boolean> =>
    writeOnce(store, write(id, before, value, now))

  const remove = (store: Store, stored: Stored<Value>): Promise<boolean> => writeOnce(store, removal(stored))

  /** Applies `next` to what is stored until nobody comes in between; gives what was written. */
  async function change(store: Store, id: Id, next: (value: Value | null) => Value, now: number): Promise<Value> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const before = await get(store.reader, id)
      const value = next(before?.value ?? null)
      if (await put(store, id, before, value, now)) return value
    }
    throw new ServiceError('state_conflict', `others are changing the same document of the kind ${space}; retry`)
  }

  return { space, read, get, list, each, write, removal, put, remove, change }
}

/** The one document of a kind that each partition has; its version counts its changes. */
export const partitionHead = <Schema extends TSchema>(space: string, schema: Schema) =>
  collection({
    ...{ space, schema },
    key: (partition: string) => documentKey(space, partition),
    owner: (partition: string) => partition,
    rank: (_value, now) => now,
  })

async function writeOnce(store: Store, write: DocumentWrite): Promise<boolean> {
  try {
    await store.writeDocuments([write])
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'state_conflict') return false
    throw error
  }
}
