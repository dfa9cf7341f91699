/** The records of a partition in the document store: one document for each key with all its versions, and one that says
 *  where they stand. */
import { createHmac } from 'node:crypto'
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { collection, partitionHead } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { closed } from '../../../domain/wire.ts'
import { ServiceError } from '../../../errors.ts'
import type { DocumentWrite } from '../../../ledger/contract.ts'
import type { Ledger } from '../../../ports.ts'
import { Version } from './versions.ts'

const MAX_VERSIONS = 10_000
const MAX_BYTES = 16 * 1024 * 1024
/** Of one record: it is written as a whole. */
const MAX_RECORD_BYTES = 512 * 1024
/** Records that go in one commit. */
const MAX_FORGOTTEN = 1000
const MAX_TOMBSTONES = 100
/** Records that are read at a time: they may be long. */
const PAGE_ROWS = 16

/** The store overwrites what is removed from this space, and its log of it too: see the store of the ledger. */
const RECORD_SPACE = 'organ.n15.record'

export const StoredRecord = Type.Object({
  ns: Type.String(),
  key: Type.String(),
  /** What receipts about this record are salted with; gone with it. */
  salt: Type.String(),
  versions: Type.Array(Version),
})

export const Tombstone = closed({ key_hmac: Type.String(), content_hmac: Type.String(), versions: Type.Integer() })

const Summary = Type.Object({
  versions: Type.Integer(),
  bytes: Type.Integer(),
  purged: Type.Integer(),
  /** What receipts of searches are salted with; another one after every removal. */
  salt: Type.String(),
  /** Over all changes, in their order, each under the salt of its record. */
  sha256: Type.String(),
  tombstones: Type.Array(Tombstone),
})
type Summary = Static<typeof Summary>

const heads = partitionHead('organ.n15', Summary)

interface RecordId {
  partition: string
  ns: string
  key: string
}

/** Names a namespace where its own characters may not stand. */
const stateOf = (ns: string): string => sha256Hex(ns).slice(0, 32)

const records = (revision: number) =>
  collection({
    space: RECORD_SPACE,
    key: ({ partition, ns, key }: RecordId) => documentKey(RECORD_SPACE, partition, ns, key),
    owner: ({ partition }) => partition,
    state: ({ ns }: Static<typeof StoredRecord>) => stateOf(ns),
    rank: () => revision,
    schema: StoredRecord,
  })

type Reader = Ledger['reader']
const EMPTY_SHA256 = sha256Hex('')

export const hmac = (salt: string, value: unknown): string =>
  createHmac('sha256', salt).update(canonicalBytes(value)).digest('hex')

/** The records of one namespace, or of all. */
export const recordsOf = (partition: string, ns?: string) => ({
  ...{ space: RECORD_SPACE, owner: partition },
  ...(ns !== undefined && { state: stateOf(ns) }),
})

/** Where the partition stands, with the number of its newest change. */
export async function readSummary(reader: Reader, partition: string) {
  const stored = await heads.get(reader, partition)
  const value = stored?.value ?? null
  return { stored, value, revision: stored?.row.version ?? 0, sha256: value?.sha256 ?? EMPTY_SHA256 }
}

/** What an index of the records is made of; null where there are none. */
export const sourceOf = (
  partition: string,
  ns: string | undefined,
  { value, revision }: Awaited<ReturnType<typeof readSummary>>,
  now: number,
) => value && { filter: recordsOf(partition, ns), revision, purged: value.purged, pageRows: PAGE_ROWS, now }

export const readRecord = (reader: Reader, id: RecordId) => records(0).get(reader, id)
type FoundRecord = NonNullable<Awaited<ReturnType<typeof readRecord>>>

/** The writes that add a version to the record as it was read, `old`. `secret` makes salts. */
export async function addVersion(
  reader: Reader,
  id: RecordId,
  old: FoundRecord | null,
  version: Version,
  secret: () => string,
) {
  const { stored, value: before, revision, sha256 } = await readSummary(reader, id.partition)
  const salt = old?.value.salt ?? secret()
  const record = { ns: id.ns, key: id.key, salt, versions: [...(old?.value.versions ?? []), version] }
  const after: Summary = {
    versions: (before?.versions ?? 0) + 1,
    bytes: (before?.bytes ?? 0) + Buffer.byteLength(version.text),
    // An index holds a record that begins in the future in two places, which no addition mends.
    purged: record.versions.some(({ valid_from }) => valid_from > version.recorded)
      ? revision + 1
      : (before?.purged ?? 0),
    salt: before?.salt ?? secret(),
    sha256: sha256Hex(canonicalBytes([sha256, hmac(salt, { ...version, recorded: 0 })])),
    tombstones: before?.tombstones ?? [],
  }
  if (after.versions > MAX_VERSIONS) throw full(`a caller stores at most ${MAX_VERSIONS} versions`)
  if (after.bytes > MAX_BYTES) throw full(`a caller stores at most ${MAX_BYTES} bytes of text`)
  if (Buffer.byteLength(JSON.stringify(record)) > MAX_RECORD_BYTES)
    throw full(`all versions of one key have at most ${MAX_RECORD_BYTES} bytes`)
  return {
    salt,
    documents: [
      heads.write(id.partition, stored, after, version.recorded),
      records(revision + 1).write(id, old, record, version.recorded),
    ],
    state: { before_sha256: sha256, after_sha256: after.sha256 },
  }
}

/** The writes that remove one record, or as many of a namespace as go together, and the salts with them. */
export async function forgetRecords(
  reader: Reader,
  id: Omit<RecordId, 'key'> & { key?: string | undefined },
  secret: () => string,
  now: number,
) {
  const { stored, value: before, revision } = await readSummary(reader, id.partition)
  if (before === null) throw recordNotFound()
  const tombstones: Static<typeof Tombstone>[] = []
  const removals: DocumentWrite[] = []
  let [versions, bytes] = [0, 0]
  for await (const record of chosenRecords(reader, id)) {
    const { ns, key, salt, versions: gone } = record.value
    const digests = gone.map(({ sha256 }) => sha256)
    tombstones.push({
      key_hmac: hmac(before.salt, [ns, key]),
      content_hmac: hmac(salt, digests),
      versions: gone.length,
    })
    versions += gone.length
    bytes += gone.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    if (removals.push(records(0).removal(record)) === MAX_FORGOTTEN) break
  }
  if (removals.length === 0) throw recordNotFound()
  const after: Summary = {
    versions: before.versions - versions,
    bytes: before.bytes - bytes,
    purged: revision + 1,
    salt: secret(),
    sha256: sha256Hex(canonicalBytes([before.sha256, tombstones])),
    tombstones: [...before.tombstones, ...tombstones].slice(-MAX_TOMBSTONES),
  }
  const all = id.key === undefined ? await reader.countDocuments(recordsOf(id.partition, id.ns), MAX_VERSIONS) : 1
  return {
    documents: [heads.write(id.partition, stored, after, now), ...removals],
    state: { before_sha256: before.sha256, after_sha256: after.sha256 },
    ...{ salt: before.salt, tombstones, versions, bytes, remaining: all - removals.length },
  }
}

/** One record, or those of a namespace. */
async function* chosenRecords(reader: Reader, { partition, ns, key }: Parameters<typeof forgetRecords>[1]) {
  const one = key === undefined ? null : await readRecord(reader, { partition, ns, key })
  if (one !== null) yield one
  if (key === undefined)
    yield* records(0).each(reader, { owner: partition, state: stateOf(ns), order: 'asc', limit: PAGE_ROWS })
}

export const recordNotFound = () => new ServiceError('record_not_found', 'the caller has no such record')
const full = (message: string): ServiceError => new ServiceError('tenant_quota_exceeded', message)
