/** The records of a partition in the document store: one document for each key with all its versions, and one that says
 *  where they stand. */
import { createHmac } from 'node:crypto'
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { collection } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
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
const PAGE = 100

/** The store overwrites what is removed from this space, and its log of it too: see the store of the ledger. */
const RECORD_SPACE = 'organ.n15.record'

const StoredRecord = Type.Object({
  ns: Type.String(),
  key: Type.String(),
  /** What receipts about this record are salted with; gone with it. */
  salt: Type.String(),
  versions: Type.Array(Version),
})
type StoredRecord = Static<typeof StoredRecord>

export const Tombstone = Type.Object(
  { key_hmac: Type.String(), content_hmac: Type.String(), versions: Type.Integer() },
  { additionalProperties: false },
)
type Tombstone = Static<typeof Tombstone>

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
    state: ({ ns }: StoredRecord) => stateOf(ns),
    rank: () => revision,
    schema: StoredRecord,
  })

type Reader = Ledger['reader']
export const EMPTY_SHA256 = sha256Hex('')

export const hmac = (salt: string, value: unknown): string =>
  createHmac('sha256', salt).update(canonicalBytes(value)).digest('hex')

/** Where the partition stands, with the number of its newest change. */
export async function readSummary(reader: Reader, partition: string) {
  const stored = await heads.get(reader, partition)
  return { stored, value: stored?.value ?? null, revision: stored?.row.version ?? 0 }
}

export const readRecord = (reader: Reader, id: RecordId) => records(0).get(reader, id)

/** What was written after a revision, in pages, newest first; of one namespace or of all. */
export async function* loadRecords(
  reader: Reader,
  partition: string,
  ns: string | null,
  since: number,
): AsyncGenerator<StoredRecord[]> {
  let after: { rank: number; key: string } | undefined
  for (;;) {
    const page = await records(0).list(reader, {
      owner: partition,
      ...(ns === null ? {} : { state: stateOf(ns) }),
      order: 'desc',
      limit: PAGE,
      ...(after && { after }),
    })
    const fresh = page.filter(({ row }) => row.rank > since)
    yield fresh.map(({ value }) => value)
    if (fresh.length < PAGE) return
    const { rank, key } = page.at(-1)!.row
    after = { rank, key }
  }
}

interface Change {
  documents: DocumentWrite[]
  state: { before_sha256: string; after_sha256: string }
  salt: string
}

/** The writes that add a version to the record as it was read, `old`. `secret` makes salts. `dated`: some version of the
 *  record begins in the future. */
export async function addVersion(
  reader: Reader,
  id: RecordId,
  old: Awaited<ReturnType<typeof readRecord>>,
  version: Version,
  dated: boolean,
  secret: () => string,
  now: number,
): Promise<Change> {
  const { stored, value: before, revision } = await readSummary(reader, id.partition)
  const salt = old?.value.salt ?? secret()
  const record = { ns: id.ns, key: id.key, salt, versions: [...(old?.value.versions ?? []), version] }
  const bytes = (before?.bytes ?? 0) + Buffer.byteLength(version.text)
  const versions = (before?.versions ?? 0) + 1
  if (versions > MAX_VERSIONS) throw full(`a caller stores at most ${MAX_VERSIONS} versions`)
  if (bytes > MAX_BYTES) throw full(`a caller stores at most ${MAX_BYTES} bytes of text`)
  if (Buffer.byteLength(JSON.stringify(record)) > MAX_RECORD_BYTES)
    throw full(`all versions of one key have at most ${MAX_RECORD_BYTES} bytes`)
  const before_sha256 = before?.sha256 ?? EMPTY_SHA256
  const after: Summary = {
    versions,
    bytes,
    purged: dated ? revision + 1 : (before?.purged ?? 0),
    salt: before?.salt ?? secret(),
    sha256: sha256Hex(canonicalBytes([before_sha256, hmac(salt, { ...version, recorded: 0 })])),
    tombstones: before?.tombstones ?? [],
  }
  return {
    documents: [heads.write(id.partition, stored, after, now), records(revision + 1).write(id, old, record, now)],
    state: { before_sha256, after_sha256: after.sha256 },
    salt,
  }
}

/** The writes that remove one record, or as many of a namespace as go together, and the salts with them. */
export async function forgetRecords(
  reader: Reader,
  { partition, ns, key }: Omit<RecordId, 'key'> & { key: string | null },
  secret: () => string,
  now: number,
) {
  const { stored, value: before, revision } = await readSummary(reader, partition)
  const found =
    key === null
      ? await records(0).list(reader, { owner: partition, state: stateOf(ns), order: 'asc', limit: MAX_FORGOTTEN })
      : [await records(0).get(reader, { partition, ns, key })].filter((one) => one !== null)
  if (before === null || found.length === 0) throw new ServiceError('record_not_found', 'the caller has no such record')
  const gone = found.flatMap(({ value }) => value.versions)
  const tombstones = found.map(
    ({ value }): Tombstone => ({
      key_hmac: hmac(before.salt, [value.ns, value.key]),
      content_hmac: hmac(
        value.salt,
        value.versions.map(({ sha256 }) => sha256),
      ),
      versions: value.versions.length,
    }),
  )
  const after: Summary = {
    versions: before.versions - gone.length,
    bytes: before.bytes - gone.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
    purged: revision + 1,
    salt: secret(),
    sha256: sha256Hex(canonicalBytes([before.sha256, tombstones])),
    tombstones: [...before.tombstones, ...tombstones].slice(-MAX_TOMBSTONES),
  }
  const filter = { space: RECORD_SPACE, owner: partition, state: stateOf(ns) }
  const remaining = key === null ? (await reader.countDocuments(filter, MAX_VERSIONS)) - found.length : 0
  return {
    documents: [heads.write(partition, stored, after, now), ...found.map((one) => records(0).removal(one))],
    state: { before_sha256: before.sha256, after_sha256: after.sha256 },
    salt: before.salt,
    tombstones,
    bytes: before.bytes - after.bytes,
    remaining,
  }
}

const full = (message: string): ServiceError => new ServiceError('tenant_quota_exceeded', message)
