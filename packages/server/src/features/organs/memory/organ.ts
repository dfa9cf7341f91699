/** N15 Memory: remembers texts by key with all their versions, finds them again, and truly forgets them. */
import { sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { exactly, Hex64, Nullable, Timestamp } from '../../../domain/wire.ts'
import { ServiceError } from '../../../errors.ts'
import type { Ledger } from '../../../ports.ts'
import { type Organ, type Outcome, op, type RequestFault } from '../organ.ts'
import { cutSnippet, type SearchEngine, type SearchedText } from '../retrieve/search.ts'
import { digestOf } from '../run.ts'
import type { Limit } from '../schemas.ts'
import { refusal, type ScreenSecrets, SecretFinding } from '../screening.ts'
import {
  addVersion,
  EMPTY_SHA256,
  forgetRecords,
  hmac,
  loadRecords,
  readRecord,
  readSummary,
  Tombstone,
} from './records.ts'
import { isExpired, liveVersions, type Version, versionAt } from './versions.ts'

const DEFAULT_NS = 'default'
const MAX_TEXT = 8192
const MAX_QUERY = 1024
const MAX_LISTED = 100

const Ns = Type.String({ minLength: 1, maxLength: 64 })
const Key = Type.String({ minLength: 1, maxLength: 128 })
const Time = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3})?Z$',
  description: 'a time in UTC, such as 2026-01-01T00:00:00Z',
})

const Record = Type.Object(
  {
    ns: Type.String(),
    key: Type.String(),
    version: Type.Integer(),
    text: Type.Optional(Type.String()),
    sha256: Hex64,
    tags: Type.Array(Type.String()),
    /** Null where it holds from when it was recorded; the time is then a reading. */
    valid_from: Nullable(Timestamp),
    supersedes: Nullable(Type.Integer()),
  },
  exactly,
)
const Hit = Type.Object(
  {
    ns: Type.String(),
    key: Type.String(),
    version: Type.Integer(),
    score: Type.Number(),
    snippet: Type.String(),
    start: Type.Integer(),
    end: Type.Integer(),
    sha256: Hex64,
  },
  exactly,
)

const Put = Type.Object(
  {
    ns: Type.Optional(Type.String({ ...Ns, default: DEFAULT_NS })),
    key: Type.Optional(Key),
    text: Type.String({ minLength: 1, maxLength: MAX_TEXT }),
    ttl_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 16, default: [] })),
    valid_from: Type.Optional(Time),
  },
  exactly,
)

/** A text in the index: one version that holds now or will. */
interface Remembered extends SearchedText {
  ns: string
  key: string
  version: Version
  from: number
  until: number
}

interface MemoryNeeds {
  ledger: Pick<Ledger, 'reader' | 'state'>
  engine: SearchEngine
  screen: ScreenSecrets
  /** 64 hex digits that nobody can guess. */
  secret: () => string
}

const shared = { isolation: 'inline', deadlineMs: 1000, maxWork: 20_000 } as const
const work = (k: number, ...texts: string[]): number =>
  k + texts.reduce((sum, text) => sum + Buffer.byteLength(text) / 64, 0)
const isoAt = (ms: number): string => new Date(ms).toISOString()
const notFound = (): ServiceError => new ServiceError('record_not_found', 'the caller has no such record')

export function memory({ ledger, engine, screen, secret }: MemoryNeeds): Organ {
  const { reader } = ledger
  const cache = engine.keep<Remembered>()
  /** Receipts of this organ hold the digests of input and result under a salt that goes with what they are about. */
  const salted = <Result>(salt: string, inputSha256: string, outcome: Outcome<Result>): Outcome<Result> => ({
    ...outcome,
    commitments: {
      input_sha256: hmac(salt, inputSha256),
      result_sha256: hmac(salt, digestOf(outcome.result)),
    },
  })

  return {
    id: 'N15',
    version: '1.0.0',
    dependsOn: ['N3', 'N9'],
    ops: {
      put: op({
        ...shared,
        summary: 'Remembers a text as the newest version of its key',
        request: Put,
        result: Type.Object(
          { stored: Type.Boolean(), record: Nullable(Record), findings: Type.Optional(Type.Array(SecretFinding)) },
          exactly,
        ),
        writesState: true,
        estimate: ({ text }) => work(0, text),
        check: ({ valid_from }) => checkTime('valid_from', valid_from),
        async run({ ns = DEFAULT_NS, key: given, text, ttl_s: ttl, tags = [], valid_from: from }, context) {
          const { partition, inputSha256, now: clock } = context
          // A secret in the name or in a tag would be stored as well.
          const screened = [text, ns, given ?? '', ...tags].join('\n')
          const refused = await context.timed('screen', () => refusal(screen, screened))
          if (refused !== null) {
            const { findings, said } = refused
            const result = { stored: false, record: null, findings }
            return salted(secret(), inputSha256, { ...said, result })
          }
          const now = clock()
          const sha256 = sha256Hex(text)
          const key = given ?? `auto-${sha256.slice(0, 16)}`
          const id = { partition, ns, key }
          const old = await readRecord(reader, id)
          const versions = old?.value.versions ?? []
          const last = versions.at(-1)
          const same = last?.sha256 === sha256 && String(last.tags) === String(tags) && last.expires === null
          if (last !== undefined && same && ttl === undefined && from === undefined) {
            context.reading('rows', 0, 'versions', 'versions written')
            const record = toRecord(ns, key, last, { valid_from: null })
            return salted(old!.value.salt, inputSha256, { result: { stored: false, record } })
          }
          const version: Version = {
            version: (last?.version ?? 0) + 1,
            ...{ text, sha256, tags },
            valid_from: from === undefined ? now : Date.parse(from),
            recorded: now,
            expires: ttl === undefined ? null : now + ttl * 1000,
            supersedes: last?.version ?? null,
          }
          const dated = [...versions, version].some(({ valid_from }) => valid_from > now)
          const { salt, ...change } = await context.timed('put', () =>
            addVersion(reader, id, old, version, dated, secret, now),
          )
          context.reading('rows', 1, 'versions', 'versions written')
          context.reading('bytes', Buffer.byteLength(text), 'bytes', 'length of the text in UTF-8')
          context.reading('recorded_at', now, 'ms', 'clock of the service')
          const record = toRecord(ns, key, version, from === undefined ? { valid_from: null } : {})
          return salted(salt, inputSha256, { ...change, result: { stored: true, record } })
        },
      }),
      get: op({
        ...shared,
        keepsNoAnswer: true,
        summary: 'Reads the version of a key that is valid now, or was at a time',
        request: Type.Object({ ns: Ns, key: Key, as_of: Type.Optional(Time) }, exactly),
        result: Type.Object({ record: Record }, exactly),
        estimate: () => 1,
        check: ({ as_of }) => checkTime('as_of', as_of),
        async run({ ns, key, as_of: asOf }, { partition, now: clock, timed, reading, inputSha256 }) {
          const now = clock()
          const { value: summary } = await readSummary(reader, partition)
          const found = await timed('get', () => readRecord(reader, { partition, ns, key }))
          const version = found && versionAt(found.value.versions, asOf === undefined ? now : Date.parse(asOf), now)
          if (version === null) throw notFound()
          reading('rows', found!.value.versions.length, 'versions', 'versions read')
          const result = { record: toRecord(ns, key, version, { text: version.text }) }
          const state = unchanged(summary?.sha256)
          return salted(found!.value.salt, inputSha256, { result, state })
        },
      }),
      search: op({
        ...shared,
        keepsNoAnswer: true,
        summary: 'Finds records by words and by likeness; a query that is a key of the namespace reads it too',
        request: Type.Object(
          {
            ns: Type.Optional(Ns),
            q: Type.String({ minLength: 1, maxLength: MAX_QUERY }),
            k: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
          },
          exactly,
        ),
        result: Type.Object(
          { record: Nullable(Record), hits: Type.Array(Hit), truncated_from: Type.Optional(Type.Integer()) },
          exactly,
        ),
        estimate: ({ q, k = 10 }) => work(k, q),
        async run({ ns, q, k = 10 }, { partition, now: clock, timed, reading, inputSha256 }) {
          const now = clock()
          const { value: summary, revision } = await readSummary(reader, partition)
          if (summary === null) {
            reading('rows', 0, 'records', 'records of the caller')
            return salted(secret(), inputSha256, { result: { record: null, hits: [] } })
          }
          const named = await readRecord(reader, { partition, ns: ns ?? DEFAULT_NS, key: q.slice(0, 128) })
          const exact = named === null || q.length > 128 ? null : versionAt(named.value.versions, now, now)
          const index = await cache.get(
            canonicalKey(partition, ns),
            { revision, purged: summary.purged },
            async function* (since) {
              for await (const page of loadRecords(reader, partition, ns ?? null, since))
                yield page.flatMap((one) => toRemembered(one.ns, one.key, one.versions, now))
            },
          )
          const keep = ({ from, until }: Remembered) => from <= now && now < until
          const ranked = timed('search', () => index.rank(q, { fusion: 'rrf', rrfK: 60, keep }))
          reading('rows', index.documents, 'records', 'records in the index')
          const hits = ranked.slice(0, k).map(({ document, score }) => ({
            ...{
              ns: document.ns,
              key: document.key,
              version: document.version.version,
              score: Number(score.toFixed(6)),
            },
            ...cutSnippet(document.text, index.matches(document.id, q)),
            sha256: document.version.sha256,
          }))
          const result = {
            record: exact && toRecord(named!.value.ns, named!.value.key, exact, { text: exact.text }),
            hits,
            ...(ranked.length > k ? { truncated_from: ranked.length } : {}),
          }
          return salted(summary.salt, inputSha256, { result, state: unchanged(summary.sha256) })
        },
      }),
      history: op({
        ...shared,
        keepsNoAnswer: true,
        summary: 'Lists the versions of a key, newest first',
        request: Type.Object({ ns: Ns, key: Key }, exactly),
        result: Type.Object(
          {
            versions: Type.Array(
              Type.Object(
                {
                  version: Type.Integer(),
                  sha256: Hex64,
                  tags: Type.Array(Type.String()),
                  valid_from: Timestamp,
                  recorded_at: Timestamp,
                  expired: Type.Boolean(),
                  supersedes: Nullable(Type.Integer()),
                },
                exactly,
              ),
            ),
            truncated_from: Type.Optional(Type.Integer()),
          },
          exactly,
        ),
        estimate: () => 1,
        async run({ ns, key }, { partition, now: clock, timed, reading, inputSha256 }) {
          const now = clock()
          const { value: summary } = await readSummary(reader, partition)
          const found = await timed('history', () => readRecord(reader, { partition, ns, key }))
          if (found === null) throw notFound()
          const { versions, salt } = found.value
          reading('rows', versions.length, 'versions', 'versions read')
          const listed = versions.toReversed().slice(0, MAX_LISTED)
          const result = {
            versions: listed.map(({ text: _, valid_from, recorded, expires, ...version }) => ({
              ...version,
              valid_from: isoAt(valid_from),
              recorded_at: isoAt(recorded),
              expired: isExpired({ expires }, now),
            })),
            ...(versions.length > MAX_LISTED ? { truncated_from: versions.length } : {}),
          }
          return salted(salt, inputSha256, { result, state: unchanged(summary?.sha256) })
        },
      }),
      forget: op({
        ...shared,
        summary: 'Removes a key, or a namespace, with all its versions and with the salt of their receipts',
        request: Type.Object({ ns: Ns, key: Type.Optional(Key) }, exactly),
        result: Type.Object(
          {
            forgotten: Type.Integer(),
            versions: Type.Integer(),
            remaining: Type.Integer(),
            tombstones: Type.Array(Tombstone),
            truncated_from: Type.Optional(Type.Integer()),
          },
          exactly,
        ),
        writesState: true,
        estimate: () => 1,
        async run({ ns, key }, { partition, now, timed, reading, inputSha256 }) {
          const { documents, state, salt, tombstones, bytes, remaining } = await timed('forget', () =>
            forgetRecords(reader, { partition, ns, key: key ?? null }, secret, now()),
          )
          cache.drop(canonicalKey(partition, ns))
          cache.drop(canonicalKey(partition, undefined))
          const versions = tombstones.reduce((sum, one) => sum + one.versions, 0)
          reading('rows', versions, 'versions', 'versions removed')
          reading('bytes', bytes, 'bytes', 'length of the removed texts in UTF-8')
          const result = {
            ...{ forgotten: tombstones.length, versions, remaining, tombstones: tombstones.slice(0, MAX_LISTED) },
            ...(tombstones.length > MAX_LISTED ? { truncated_from: tombstones.length } : {}),
          }
          const limits = forgetLimits(ledger.state().durability, remaining)
          return salted(salt, inputSha256, { documents, state, result, limits })
        },
      }),
    },
    fromPrompt,
    example: {
      request: { op: 'put', ns: 'example', key: 'greeting', text: 'Say hello in the language of the customer.' },
      prompt: 'office hours = weekdays from nine to five',
    },
    evidence: {},
  }
}

/** `key = value` stores; everything else searches, and reads where it is a key. */
function fromPrompt(prompt: string) {
  const text = prompt.trim()
  const [, key, value] = /^([^=\n]{1,128}?)\s*=\s*(\S[\s\S]*)$/u.exec(text) ?? []
  if (key !== undefined && value !== undefined && value.length <= MAX_TEXT)
    return { op: 'put', ns: DEFAULT_NS, key: key.trim(), text: value }
  const q = text.slice(0, MAX_QUERY)
  return { op: 'search', ns: DEFAULT_NS, q: q.isWellFormed() || !text.isWellFormed() ? q : q.slice(0, -1) }
}

const canonicalKey = (partition: string, ns: string | undefined): string => JSON.stringify([partition, ns ?? null])

const toRemembered = (ns: string, key: string, versions: readonly Version[], now: number): Remembered[] =>
  liveVersions(versions, now).map(({ version, from, until }, at) => ({
    id: JSON.stringify([ns, key, at]),
    text: version.text,
    ...{ ns, key, version, from, until },
  }))

const unchanged = (sha256 = EMPTY_SHA256) => ({ before_sha256: sha256, after_sha256: sha256 })

const toRecord = (
  ns: string,
  key: string,
  { version, sha256, tags, valid_from, supersedes }: Version,
  more: { text?: string; valid_from?: null } = {},
): Static<typeof Record> => ({ ns, key, version, sha256, tags, valid_from: isoAt(valid_from), supersedes, ...more })

const hasDay = (time: string): boolean =>
  new Date(`${time.slice(0, 10)}T00:00:00Z`).toISOString().slice(0, 10) === time.slice(0, 10)

/** The pattern lets the 30th of February pass. */
function checkTime(field: string, time: string | undefined): RequestFault[] {
  const at = Date.parse(time ?? '2026-01-01T00:00:00Z')
  // The day of the month is that of the text only where the month has it.
  const isTime = Number.isFinite(at) && (time === undefined || hasDay(time))
  return isTime ? [] : [{ place: [field], message: 'is not a time that there is' }]
}

const COPIES =
  'backups, copies and the digest in a reply to `put` that is kept for an Idempotency-Key are outside what is removed'
const ERASED: { [durability: string]: Limit } = {
  EPHEMERAL: { code: 'COPIES_OUTSIDE', detail: COPIES },
  DURABLE: {
    code: 'COPIES_OUTSIDE',
    detail: `the store overwrites the text and empties its log with the commit of this receipt; ${COPIES}, and so is what the disk itself keeps of overwritten blocks`,
  },
  DURABLE_EXTERNAL: {
    code: 'WRITE_AHEAD_LOG',
    detail: `PostgreSQL keeps the removed row until its vacuum and the write-ahead log until it is recycled or as long as it is archived; ${COPIES}`,
  },
}

function forgetLimits(durability: string, remaining: number): Limit[] {
  const more = { code: 'MORE_REMAIN', detail: `${remaining} records of the namespace remain; forget it again` }
  return [ERASED[durability]!, ...(remaining > 0 ? [more] : [])]
}
