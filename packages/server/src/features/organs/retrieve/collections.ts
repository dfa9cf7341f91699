/** The collections of a partition in the document store: one document for each text, and one that says where they stand. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { collection, partitionHead } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { InputError, ServiceError } from '../../../errors.ts'
import type { Ledger } from '../../../ports.ts'

const MAX_COLLECTIONS = 20
const MAX_DOCUMENTS = 5000
const TEXT_SPACE = 'organ.n9.text'

export const StoredText = Type.Object({
  id: Type.String(),
  text: Type.String(),
  vector: Type.Optional(Type.Array(Type.Number())),
})
type StoredText = Static<typeof StoredText>

const StoredCollection = Type.Object({
  count: Type.Integer(),
  revision: Type.Integer(),
  purged: Type.Integer(),
  /** Of its vectors; 0 where it has none. */
  dimensions: Type.Integer(),
  sha256: Type.String(),
})
/** Where one collection stands; `sha256` is over all its changes, in their order. */
type StoredCollection = Static<typeof StoredCollection>

interface TextId {
  partition: string
  name: string
  id: string
}

const heads = partitionHead('organ.n9', Type.Record(Type.String(), StoredCollection))

/** Ranked by the revision they were written at, so that an index is given what is new and nothing else. */
const texts = (name: string, revision: number) =>
  collection({
    space: TEXT_SPACE,
    key: ({ partition, id }: TextId) => documentKey(TEXT_SPACE, partition, name, id),
    owner: ({ partition }: TextId) => partition,
    state: () => name,
    rank: () => revision,
    schema: StoredText,
  })

type Reader = Ledger['reader']

export async function findCollection(reader: Reader, partition: string, name: string): Promise<StoredCollection> {
  const stored = (await heads.get(reader, partition))?.value ?? {}
  if (Object.hasOwn(stored, name)) return stored[name]!
  throw absent()
}

/** The documents of one collection. */
export const textsOf = (partition: string, name: string) => ({ space: TEXT_SPACE, owner: partition, state: name })

interface Change {
  put?: readonly StoredText[]
  remove?: readonly string[]
}

/** The writes that change a collection, and what came of it. Refused where the partition has no room. */
export async function changeCollection(
  reader: Reader,
  partition: string,
  name: string,
  { put = [], remove = [] }: Change,
  now: number,
) {
  const stored = await heads.get(reader, partition)
  const all = stored?.value ?? {}
  const before = Object.hasOwn(all, name) ? all[name]! : null
  if (before === null && put.length === 0) throw absent()
  const revision = (stored?.row.version ?? 0) + 1
  const dimensions = before?.dimensions || (put.find(({ vector }) => vector !== undefined)?.vector?.length ?? 0)
  assertDimensions(put, dimensions)
  const kind = texts(name, revision)
  const find = (id: string) => kind.get(reader, { partition, name, id })
  const [old, gone] = await Promise.all([
    Promise.all(put.map(({ id }) => find(id))),
    Promise.all([...new Set(remove)].map(async (id) => ({ id, found: await find(id) }))),
  ])
  const replaced = old.filter((found) => found !== null).length
  const removed = gone.flatMap(({ found }) => found ?? [])
  const count = (before?.count ?? 0) + put.length - replaced - removed.length
  const after: StoredCollection = {
    count,
    revision,
    purged: before === null || removed.length > 0 ? revision : before.purged,
    dimensions,
    sha256: digest([before?.sha256 ?? '', put, removed.map(({ value }) => value.id)]),
  }
  const { [name]: _, ...others } = all
  const next = count === 0 ? others : { ...others, [name]: after }
  if (count > MAX_DOCUMENTS) throw full(`a collection holds at most ${MAX_DOCUMENTS} documents`)
  if (Object.keys(next).length > MAX_COLLECTIONS) throw full(`a caller has at most ${MAX_COLLECTIONS} collections`)
  return {
    documents: [
      heads.write(partition, stored, next, now),
      ...put.map((text, at) => kind.write({ partition, name, id: text.id }, old[at]!, text, now)),
      ...removed.map((found) => kind.removal(found)),
    ],
    state: { before_sha256: before?.sha256 ?? digest([]), after_sha256: count === 0 ? digest([]) : after.sha256 },
    added: put.length - replaced,
    replaced,
    deleted: removed.length,
    missing: gone.filter(({ found }) => found === null).map(({ id }) => id),
    count,
  }
}

function assertDimensions(put: readonly StoredText[], dimensions: number): void {
  const at = put.findIndex(({ vector }) => vector !== undefined && vector.length !== dimensions)
  if (at < 0) return
  const msg = `must have ${dimensions} numbers, as the vectors of this collection have`
  throw new InputError([{ loc: ['body', 'docs', at, 'vector'], msg, type: 'value' }])
}

const digest = (value: unknown): string => sha256Hex(canonicalBytes(value))
const absent = (): ServiceError => new ServiceError('record_not_found', 'the caller has no collection of that name')
const full = (message: string): ServiceError => new ServiceError('tenant_quota_exceeded', message)
