/** The records of a partition in the document store: one document for each key with all its versions, and one that says
 *  where they stand. */
import { createHmac } from 'node:crypto'
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { collection } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { exactly } from '../../../domain/wire.ts'
import { ServiceError } from '../../../errors.ts'
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
export const PAGE_ROWS = 16

/** The store overwrites what is removed from this space, and its log of it too: see the store of the ledger. */
const RECORD_SPACE = 'organ.n15.record'

export const StoredRecord = Type.Object({
  ns: Type.String(),
  key: Type.String(),
  /** What receipts about this record are salted with; gone with it. */
  salt: Type.String(),
  versions: Type.Array(Version),
})

export const Tombstone = Type.Object(
  { key_hmac: Type.String(), content_hmac: Type.String(), versions: Type.Integer() },
  exactly,
)

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

const heads = collection({
  space: 'organ.n15',
  key: (partition: string) => documentKey('organ.n15', partition),
  owner: (partition) => partition,
  rank: (_value, now) => now,
  schema: Summary,
})

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
  { partition, ns, key }: Omit<RecordId, 'key'> & { key?: string | undefined },
  secret: () => string,
  now: number,
) {
  const { stored, value: before, revision } = await readSummary(reader, partition)
  const one = key === undefined ? null : await readRecord(reader, { partition, ns, key })
  const found = key === undefined ? await listRecords(reader, partition, ns) : one === null ? [] : [one]
  if (before === null || found.length === 0) throw recordNotFound()
  const tombstones = found.map(({ value: { ns, key, salt, versions } }) => ({
    key_hmac: hmac(before.salt, [ns, key]),
    content_hmac: hmac(
      salt,
      versions.map(({ sha256 }) => sha256),
    ),
    versions: versions.length,
  }))
  const gone = found.flatMap(({ value }) => value.versions)
  const bytes = gone.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  const after: Summary = {
    versions: before.versions - gone.length,
    bytes: before.bytes - bytes,
    purged: revision + 1,
    salt: secret(),
    sha256: sha256Hex(canonicalBytes([before.sha256, tombstones])),
    tombstones: [...before.tombstones, ...tombstones].slice(-MAX_TOMBSTONES),
  }
  const all = key === undefined ? await reader.countDocuments(recordsOf(partition, ns), MAX_VERSIONS) : 1
  return {
    documents: [heads.write(partition, stored, after, now), ...found.map((record) => records(0).removal(record))],
    state: { before_sha256: before.sha256, after_sha256: after.sha256 },
    ...{ salt: before.salt, tombstones, versions: gone.length, bytes, remaining: all - found.length },
  }
}

/** The first of a namespace. */
async function listRecords(reader: Reader, partition: string, ns: string): Promise<FoundRecord[]> {
  const found: FoundRecord[] = []
  const query = { owner: partition, state: stateOf(ns), order: 'asc', limit: PAGE_ROWS } as const
  for await (const record of records(0).each(reader, query)) if (found.push(record) === MAX_FORGOTTEN) break
  return found
}

export const recordNotFound = () => new ServiceError('record_not_found', 'the caller has no such record')
const full = (message: string): ServiceError => new ServiceError('tenant_quota_exceeded', message)
