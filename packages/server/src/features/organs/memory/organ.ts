/** N15 Memory: remembers texts by key with all their versions, finds them again, and truly forgets them. */
import { cutText, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { closed, Hex64, integers, Nullable, Timestamp } from '../../../domain/wire.ts'
import type { Ledger } from '../../../ports.ts'
import { fitting, type Organ, type Outcome, op, type RequestFault, type RunContext } from '../organ.ts'
import { digestOf } from '../run.ts'
import type { Limit } from '../schemas.ts'
import { refusal, type ScreenSecrets, SecretFinding } from '../screening.ts'
import { HitFields } from '../search/hit.ts'
import type { TextAnswer, TextQuery } from '../search/io/text-index.ts'
import { registerIndexes } from '../search/thread.ts'
import * as records from './records.ts'
import { isExpired, type Version, versionAt } from './versions.ts'

const openIndexes = registerIndexes<TextQuery, TextAnswer>('memory', new URL('./io/records-job.ts', import.meta.url))

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
const Place = { ns: Type.String(), key: Type.String(), version: Type.Integer() }
const Facts = { sha256: Hex64, tags: Type.Array(Type.String()), supersedes: Nullable(Type.Integer()) }
/** `valid_from` is null where it holds from when it was recorded; the time is then a reading. */
const Record = closed({ ...Place, ...Facts, text: Type.Optional(Type.String()), valid_from: Nullable(Timestamp) })
const ListedVersion = closed({
  version: Type.Integer(),
  ...Facts,
  valid_from: Timestamp,
  recorded_at: Timestamp,
  expired: Type.Boolean(),
})
const Truncated = { truncated_from: Type.Optional(Type.Integer()) }
const truncated = (count: number, atMost: number) => (count > atMost ? { truncated_from: count } : {})

interface MemoryNeeds {
  ledger: Pick<Ledger, 'reader' | 'state'>
  screen: ScreenSecrets
  /** 64 hex digits that nobody can guess. */
  secret: () => string
}

const shared = { isolation: 'inline', deadlineMs: 1000, maxWork: 20_000 } as const
/** An answer that is kept for an Idempotency-Key outlives what it shows, be it a text or the digest of one. */
const telling = { ...shared, keepsNoAnswer: true } as const
const work = (k: number, text: string): number => k + Buffer.byteLength(text) / 64
const isoAt = (ms: number): string => new Date(ms).toISOString()

/** Receipts of this organ hold the digests of input and result under a salt that goes with what they are about. */
const salted =
  <Request, Result>(
    run: (request: Request, context: RunContext) => Promise<Outcome<NoInfer<Result>> & { salt: string }>,
  ) =>
  async (request: Request, context: RunContext): Promise<Outcome<Result>> => {
    const { salt, ...outcome } = await run(request, context)
    const sealed = (digest: string): string => records.hmac(salt, digest)
    const commitments = { input_sha256: sealed(context.inputSha256), result_sha256: sealed(digestOf(outcome.result)) }
    return { ...outcome, commitments }
  }

export function memory({ ledger, screen, secret }: MemoryNeeds): Organ {
  const { reader } = ledger
  const indexes = openIndexes()
  const unchanged = (sha256: string) => ({ before_sha256: sha256, after_sha256: sha256 })
  const find = async (name: 'get' | 'history', { partition, timed, reading }: RunContext, ns: string, key: string) => {
    const { sha256 } = await records.readSummary(reader, partition)
    const found = await timed(name, () => records.readRecord(reader, { partition, ns, key }))
    if (found === null) throw records.recordNotFound()
    reading('rows', found.value.versions.length, 'versions', 'versions read')
    return { ...found.value, state: unchanged(sha256) }
  }

  return {
    id: 'N15',
    version: '1.0.1',
    dependsOn: ['N3', 'N9'],
    ops: {
      put: op({
        ...telling,
        summary: 'Remembers a text as the newest version of its key',
        request: closed({
          ns: Type.Optional(Type.String({ ...Ns, default: DEFAULT_NS })),
          key: Type.Optional(Key),
          text: Type.String({ minLength: 1, maxLength: MAX_TEXT }),
          ttl_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
          tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 16, default: [] })),
          valid_from: Type.Optional(Time),
        }),
        result: closed({
          stored: Type.Boolean(),
          record: Nullable(Record),
          findings: Type.Optional(Type.Array(SecretFinding)),
        }),
        writesState: true,
        estimate: ({ text }) => work(0, text),
        check: ({ valid_from }) => checkTime('valid_from', valid_from),
        run: salted(async ({ ns = DEFAULT_NS, key: given, text, ttl_s, tags = [], valid_from }, context) => {
          // A secret in the name or in a tag would be stored as well.
          const screened = [text, ns, given ?? '', ...tags].join('\n')
          const refused = await context.timed('screen', () => refusal(screen, screened))
          if (refused !== null)
            return {
              ...refused.said,
              salt: secret(),
              result: { stored: false, record: null, findings: refused.findings },
            }
          const now = context.now()
          const from = valid_from === undefined ? null : Date.parse(valid_from)
          const sha256 = sha256Hex(text)
          const id = { partition: context.partition, ns, key: given ?? `auto-${sha256.slice(0, 16)}` }
          const old = await records.readRecord(reader, id)
          const last = old?.value.versions.at(-1)
          const view = (version: Version) => toRecord(ns, id.key, version, from === null ? { valid_from: null } : {})
          const isSame = last?.sha256 === sha256 && String(last.tags) === String(tags) && last.expires === null
          if (isSame && ttl_s === undefined && (from === null || from === last.valid_from)) {
            context.reading('rows', 0, 'versions', 'versions written')
            return { salt: old!.value.salt, result: { stored: false, record: view(last) } }
          }
          const version: Version = {
            version: (last?.version ?? 0) + 1,
            ...{ text, sha256, tags },
            valid_from: from ?? now,
            recorded: now,
            expires: ttl_s === undefined ? null : now + ttl_s * 1000,
            supersedes: last?.version ?? null,
          }
          const change = await context.timed('put', () => records.addVersion(reader, id, old, version, secret))
          context.reading('rows', context.dryRun ? 0 : 1, 'versions', 'versions written')
          context.reading('bytes', Buffer.byteLength(text), 'bytes', 'length of the text in UTF-8')
          context.reading('recorded_at', now, 'ms', 'clock of the service')
          return { ...change, result: { stored: !context.dryRun, record: view(version) } }
        }),
      }),
      get: op({
        ...telling,
        summary: 'Reads the version of a key that is valid now, or was at a time',
        request: closed({ ns: Ns, key: Key, as_of: Type.Optional(Time) }),
        result: closed({ record: Record }),
        estimate: () => 1,
        check: ({ as_of }) => checkTime('as_of', as_of),
        run: salted(async ({ ns, key, as_of: asOf }, context) => {
          const now = context.now()
          const { versions, salt, state } = await find('get', context, ns, key)
          const version = versionAt(versions, asOf === undefined ? now : Date.parse(asOf), now)
          if (version === null) throw records.recordNotFound()
          return { salt, state, result: { record: toRecord(ns, key, version, { text: version.text }) } }
        }),
      }),
      search: op({
        ...telling,
        isolation: 'worker',
        summary: 'Finds records by words and by likeness; a query that is a key of the namespace reads it too',
        request: closed({
          ns: Type.Optional(Ns),
          q: Type.String({ minLength: 1, maxLength: MAX_QUERY }),
          k: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
        }),
        result: closed({
          record: Nullable(Record),
          hits: Type.Array(closed({ ...Place, ...HitFields })),
          ...Truncated,
        }),
        async load({ ns }, { partition, now, timed }) {
          const source = records.sourceOf(partition, ns, await records.readSummary(reader, partition), now())
          if (source !== null) await timed('index', () => indexes.ready(reader, source))
        },
        estimate: ({ q, k = 10 }) => work(k, q),
        run: salted(async ({ ns, q, k = 10 }, { partition, now: clock, timed, reading }) => {
          const now = clock()
          const summary = await records.readSummary(reader, partition)
          const source = records.sourceOf(partition, ns, summary, now)
          if (source === null) {
            reading('rows', 0, 'records', 'records of the caller')
            return { salt: secret(), result: { record: null, hits: [] } }
          }
          const named = await records.readRecord(reader, { partition, ns: ns ?? DEFAULT_NS, key: cutText(q, 128) })
          const exact = named === null || q.length > 128 ? null : versionAt(named.value.versions, now, now)
          const query = { q, k, now, fusion: 'rrf', rrfK: 60 } as const
          const { hits, found, documents } = await timed('search', () => indexes.ask(reader, source, query))
          reading('rows', documents, 'records', 'records in the index')
          const result = {
            record: exact && toRecord(named!.value.ns, named!.value.key, exact, { text: exact.text }),
            hits: hits.map(({ about, score, snippet, start, end, sha256 }) => ({
              ...(about as Static<Type.TObject<typeof Place>>),
              ...{ score: Number(score.toFixed(6)), snippet, start, end, sha256 },
            })),
            ...truncated(found, k),
          }
          return { salt: summary.value!.salt, result, state: unchanged(summary.sha256) }
        }),
      }),
      history: op({
        ...telling,
        summary: 'Lists the versions of a key, newest first',
        request: closed({ ns: Ns, key: Key }),
        result: closed({ versions: Type.Array(ListedVersion), ...Truncated }),
        estimate: () => 1,
        run: salted(async ({ ns, key }, context) => {
          const now = context.now()
          const { versions, salt, state } = await find('history', context, ns, key)
          const listed = versions.toReversed().slice(0, MAX_LISTED)
          const result = {
            versions: listed.map(({ text: _, valid_from, recorded, expires, ...version }) => ({
              ...version,
              valid_from: isoAt(valid_from),
              recorded_at: isoAt(recorded),
              expired: isExpired({ expires }, now),
            })),
            ...truncated(versions.length, MAX_LISTED),
          }
          return { salt, result, state }
        }),
      }),
      forget: op({
        ...shared,
        summary: 'Removes a key, or a namespace, with all its versions and with the salt of their receipts',
        request: closed({ ns: Ns, key: Type.Optional(Key) }),
        result: closed({
          ...integers('forgotten', 'versions', 'remaining'),
          tombstones: Type.Array(records.Tombstone),
          ...Truncated,
        }),
        writesState: true,
        estimate: () => 1,
        run: salted(async ({ ns, key }, { partition, dryRun, now, timed, reading }) => {
          const { tombstones, versions, bytes, remaining, ...change } = await timed('forget', () =>
            records.forgetRecords(reader, { partition, ns, key }, secret, now()),
          )
          await Promise.all([
            indexes.drop(records.recordsOf(partition, ns)),
            indexes.drop(records.recordsOf(partition)),
          ])
          reading('rows', dryRun ? 0 : versions, 'versions', 'versions removed')
          reading('bytes', dryRun ? 0 : bytes, 'bytes', 'length of the removed texts in UTF-8')
          const result = {
            ...{ forgotten: tombstones.length, versions, remaining, tombstones: tombstones.slice(0, MAX_LISTED) },
            ...truncated(tombstones.length, MAX_LISTED),
          }
          return { ...change, result, limits: forgetLimits(ledger.state().durability, remaining) }
        }),
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

/** A name of a few words, a blank on both sides of the sign, and a value: a line of code, an address or a question has
 *  other signs in it or begins with another word, and is searched for. */
const ASSIGNMENT = /^([\p{L}\p{N}_][\p{L}\p{N}_.:/'-]*(?: [\p{L}\p{N}_.:/'-]+){0,7})[ \t]+=[ \t]+(\S[\s\S]*)$/u
const STATEMENT =
  /^(?:if|else|elif|while|for|return|let|const|var|select|update|set|where|assert|is|are|does|do|did|can|why|what|how|when|who|which)(?: |$)/iu

/** `key = value` stores; everything else searches, and reads where it is a key. */
function fromPrompt(prompt: string) {
  const text = prompt.trim()
  const [, key = '', value = ''] = (STATEMENT.test(text) ? null : ASSIGNMENT.exec(text)) ?? []
  if (key !== '' && key.length <= 128 && value.length <= MAX_TEXT)
    return { op: 'put', ns: DEFAULT_NS, key, text: value }
  return fitting(text, { field: 'q', max: MAX_QUERY, example: 'office hours' }, (q) => ({
    op: 'search',
    ns: DEFAULT_NS,
    q,
  }))
}

const toRecord = (
  ns: string,
  key: string,
  { version, sha256, tags, valid_from, supersedes }: Version,
  more: { text?: string; valid_from?: null } = {},
): Static<typeof Record> => ({ ns, key, version, sha256, tags, valid_from: isoAt(valid_from), supersedes, ...more })

/** The pattern lets the 30th of February pass: the day is that of the text only where the month has it. */
function checkTime(field: string, time = '2026-01-01T00:00:00Z'): RequestFault[] {
  const day = new Date(`${time.slice(0, 10)}T00:00:00Z`)
  const isDay = Number.isFinite(day.getTime()) && day.toISOString().startsWith(time.slice(0, 10))
  const isTime = isDay && Number.isFinite(Date.parse(time))
  return isTime ? [] : [{ place: [field], message: 'is not a time that there is' }]
}

const COPIES = 'backups and copies are outside what is removed'
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
