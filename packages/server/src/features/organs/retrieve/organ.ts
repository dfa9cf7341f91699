/** N9 Retrieve: finds passages by words and by vectors, joins both rankings and says how good the result is. */
import Type, { type Static } from 'typebox'
import { closed, integers, Nullable, words } from '../../../domain/wire.ts'
import { InputError } from '../../../errors.ts'
import type { Ledger } from '../../../ports.ts'
import { type Attachment, fitting, type Organ, op, type RequestFault, type RunContext } from '../organ.ts'
import type { Limit } from '../schemas.ts'
import { HitFields } from '../search/hit.ts'
import type { SearchedText, TextAnswer, TextQuery } from '../search/io/text-index.ts'
import { MAX_CANDIDATES } from '../search/rank.ts'
import { registerIndexes, searchThread } from '../search/thread.ts'
import { changeCollection, findCollection, textsOf } from './collections.ts'
import { rankingQuality } from './quality.ts'

const module = new URL('./io/texts-job.ts', import.meta.url)
const openIndexes = registerIndexes<TextQuery, TextAnswer>('retrieve', module)
const job = <Params>(name: string) =>
  searchThread.register<Params, TextAnswer>({ name: `retrieve-${name}`, module, function: name, deadlineMs: 10_000 })
const rankOnce = job<{ texts: SearchedText[]; query: TextQuery | null }>('rankOnce')
const rankDocs = job<{ folder: string | null; query: TextQuery | null }>('rankDocs')

const BUNDLED = '@docs'

const MAX_QUERY = 1024
/** Documents that the operator's embeddings server ranks as well. */
const MAX_COMPARED = 50
const Id = Type.String({ minLength: 1, maxLength: 128 })
const Name = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$', description: 'the name of a collection' })
const Vector = Type.Array(Type.Number({ minimum: -1e6, maximum: 1e6 }), { minItems: 1, maxItems: 2048 })
const Document = closed({ id: Id, text: Type.String({ minLength: 1, maxLength: 4096 }), vector: Type.Optional(Vector) })
const Documents = Type.Array(Document, { minItems: 1, maxItems: 64 })

/** One of these words, the first where none is given. */
const choice = <const T extends string>(list: readonly T[], description = 'the first where none is given') =>
  Type.Optional(Type.Unsafe<T>({ ...words(list), default: list[0], description }))
const Query = closed({
  q: Type.String({ minLength: 1, maxLength: MAX_QUERY }),
  docs: Type.Optional(Documents),
  collection: Type.Optional(
    Type.String({
      pattern: '^(@docs|[A-Za-z0-9][A-Za-z0-9._-]{0,63})$',
      description: 'a collection of the caller, or @docs: the documentation of this service',
    }),
  ),
  k: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
  fusion: choice(['rrf', 'bm25', 'vector']),
  vectors: choice(['ngram', 'model', 'caller'], 'model is refused: this build has no sentence-embedding weights'),
  q_vector: Type.Optional(Vector),
  rrf_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 60 })),
  qrels: Type.Optional(
    Type.Record(Type.String({ maxLength: 128 }), Type.Integer({ minimum: 0, maximum: 3 }), { maxProperties: 1000 }),
  ),
})
type Query = Static<typeof Query>

const Rank = Nullable(Type.Integer({ minimum: 1 }))
const Hit = closed({ id: Type.String(), rank_bm25: Rank, rank_vec: Rank, ...HitFields })
const Quality = closed({ ndcg: Type.Number(), mrr: Type.Number(), recall: Type.Number() })
const Found = closed({
  hits: Type.Array(Hit),
  truncated_from: Type.Optional(Type.Integer()),
  quality: Type.Optional(Nullable(Quality)),
  vector_kind: Nullable(Type.String()),
  documents: Type.Integer(),
})

/** Asked of the operator's own embeddings server, where one is configured. */
export type RivalRanking = (
  query: string,
  texts: TextAnswer['texts'],
  context: Pick<RunContext, 'signal' | 'now'>,
) => Promise<Attachment>

interface RetrieveNeeds {
  ledger: Pick<Ledger, 'reader'>
  rival?: RivalRanking | null
  /** Where the documentation lies, where that is not the place it is shipped at. */
  docsFolder?: string | null
}

const shared = { isolation: 'worker', deadlineMs: 1000, maxWork: 1_000_000 } as const
/** Documents that are handed to the thread of the indexes at a time. */
const PAGE_ROWS = 32

export function retrieve({ ledger: { reader }, rival = null, docsFolder = null }: RetrieveNeeds): Organ {
  const indexes = openIndexes()
  const sourceOf = async (name: string, { partition, now }: RunContext) => {
    const { revision, purged, ...stored } = await findCollection(reader, partition, name)
    const filter = textsOf(partition, name)
    return { stored, source: { filter, revision, purged, pageRows: PAGE_ROWS, now: now() } }
  }
  const search = async ({ docs, collection: name, q_vector: vector }: Query, query: TextQuery, context: RunContext) => {
    if (docs !== undefined) {
      const { value: answer, origin } = await rankOnce({ texts: docs, query })
      // What another request ran was measured for that one.
      return { answer: origin === 'run' ? answer : { ...answer, indexUs: undefined } }
    }
    if (name === BUNDLED) return { answer: (await rankDocs({ folder: docsFolder, query })).value }
    const { stored, source } = await sourceOf(name!, context)
    if (vector !== undefined && vector.length !== stored.dimensions) throw otherLength(stored.dimensions)
    const answer = await indexes.ask(reader, source, query)
    return { answer, state: { before_sha256: stored.sha256, after_sha256: stored.sha256 } }
  }
  const changed = async (name: string, change: Parameters<typeof changeCollection>[3], context: RunContext) =>
    changeCollection(reader, context.partition, name, change, context.now())
  return {
    id: 'N9',
    version: '1.0.0',
    ops: {
      query: op({
        ...shared,
        summary: 'Ranks documents for a query and, with judgements, says how good the ranking is',
        request: Query,
        result: Found,
        async load({ docs, collection: name }, context) {
          const { timed } = context
          if (docs !== undefined) return rankOnce({ texts: [], query: null })
          if (name === BUNDLED) return timed('index', () => rankDocs({ folder: docsFolder, query: null }))
          const { source } = await sourceOf(name!, context)
          return timed('index', () => indexes.ready(reader, source))
        },
        estimate: ({ q, docs: given = [], k = 10 }) =>
          given.length * k + given.reduce((sum, { text }) => sum + text.length, q.length),
        check: checkQuery,
        async run(request, context) {
          const { q, k = 10, fusion = 'rrf', vectors = 'ngram', rrf_k: rrfK = 60, q_vector: vector, qrels } = request
          const texts = rival === null ? 0 : MAX_COMPARED
          const query = { q, k, fusion, rrfK, texts, ...(vector && { vector }) }
          const { answer, state } = await context.timed('query', () => search(request, query, context))
          const { documents, found, hits, texts: compared, indexUs } = answer
          if (indexUs !== undefined)
            context.reading('index', indexUs, 'us', 'process.hrtime.bigint in the thread of the indexes')
          context.reading('documents', documents, 'documents', 'rows of the full-text index')
          const ids = hits.map(({ id }) => id)
          return {
            result: {
              hits,
              ...(found > k ? { truncated_from: found } : {}),
              ...(qrels === undefined ? {} : { quality: rankingQuality(ids, qrels, k) }),
              vector_kind: fusion === 'bm25' ? null : vectors,
              documents,
            },
            limits: limitsOf(documents, request),
            attachments: rival === null || compared.length === 0 ? [] : [await rival(q, compared, context)],
            ...(state && { state }),
          }
        },
      }),
      index: op({
        ...shared,
        summary: 'Adds documents to a collection of the caller; one with a known id is replaced',
        request: closed({ collection: Name, docs: Documents }),
        result: closed({ collection: Type.String(), ...integers('added', 'replaced', 'documents') }),
        isolation: 'inline',
        writesState: true,
        estimate: ({ docs: given }) => given.reduce((sum, { text }) => sum + text.length, given.length),
        check: ({ docs: given }) => checkDocuments(given),
        async run({ collection: name, docs: put }, context) {
          const { documents, state, added, replaced, count } = await context.timed('index', () =>
            changed(name, { put }, context),
          )
          context.reading('rows', put.length, 'documents', 'documents of this request')
          return { documents, state, result: { collection: name, added, replaced, documents: count } }
        },
      }),
      delete: op({
        ...shared,
        summary: 'Removes documents from a collection of the caller; an empty one is gone',
        request: closed({ collection: Name, ids: Type.Array(Id, { minItems: 1, maxItems: 500, uniqueItems: true }) }),
        result: closed({
          ...{ collection: Type.String(), missing: Type.Array(Type.String()) },
          ...integers('deleted', 'documents'),
        }),
        isolation: 'inline',
        writesState: true,
        estimate: ({ ids }) => ids.length,
        async run({ collection: name, ids: remove }, context) {
          const { documents, state, deleted, missing, count } = await context.timed('delete', () =>
            changed(name, { remove }, context),
          )
          context.reading('rows', context.dryRun ? 0 : deleted, 'documents', 'documents found and removed')
          return { documents, state, result: { collection: name, deleted, missing, documents: count } }
        },
      }),
    },
    fromPrompt: (prompt) =>
      fitting(prompt.trim(), { field: 'q', max: MAX_QUERY, example: 'how do I restore a backup' }, (q) => ({
        op: 'query',
        q,
        collection: BUNDLED,
      })),
    example: { request: EXAMPLE, prompt: 'how do I restore a backup' },
    evidence: {},
    backends: [{ env: 'ORCH_ORGAN_N9_URL', configured: rival !== null, adds: RIVAL }],
  }
}

const RIVAL = 'a ranking of the same passages by its embeddings'
const EXAMPLE = {
  op: 'query',
  q: 'which receipts can be verified offline',
  docs: [
    { id: 'chain', text: 'Every receipt names the digest of the one before it, so that none can be left out.' },
    { id: 'offline', text: 'A receipt verifies offline: the signature and the proof of inclusion travel with it.' },
    { id: 'cooking', text: 'Simmer the onions until they are golden, then add the stock.' },
  ],
  qrels: { offline: 3, chain: 1 },
}

const otherLength = (dimensions: number): InputError =>
  new InputError([
    { loc: ['body', 'q_vector'], msg: `the vectors of this collection have ${dimensions} numbers`, type: 'value' },
  ])

function checkQuery({ docs, collection, vectors, q_vector: asked }: Query): RequestFault[] {
  const faults = docs === undefined ? [] : checkDocuments(docs)
  const fault = (place: (string | number)[], message: string) => faults.push({ place, message })
  if ((docs === undefined) === (collection === undefined))
    fault(['docs'], 'either docs or collection says what is searched, not both')
  if (vectors === 'model') fault(['vectors'], 'this build has no sentence-embedding weights; use ngram or caller')
  if ((vectors === 'caller') !== (asked !== undefined))
    fault(['q_vector'], 'the vector of the query goes with vectors: caller, and only with it')
  if (vectors === 'caller' && collection === BUNDLED) fault(['collection'], 'the documentation has no vectors')
  if (vectors === 'caller' && asked !== undefined)
    for (const [at, { vector }] of (docs ?? []).entries())
      if (vector?.length !== asked.length)
        fault(['docs', at, 'vector'], `must have ${asked.length} numbers, as q_vector has`)
  return faults
}

function checkDocuments(docs: readonly Static<typeof Document>[]): RequestFault[] {
  const faults: RequestFault[] = []
  const seen = new Set<string>()
  const length = docs.find(({ vector }) => vector !== undefined)?.vector?.length
  for (const [at, { id, vector }] of docs.entries()) {
    if (seen.has(id)) faults.push({ place: ['docs', at, 'id'], message: 'is the id of an earlier document' })
    if (vector !== undefined && vector.length !== length)
      faults.push({ place: ['docs', at, 'vector'], message: `must have ${length} numbers, as the first vector has` })
    seen.add(id)
  }
  return faults
}

function limitsOf(documents: number, { collection }: Query): Limit[] {
  if (collection === BUNDLED && documents === 0)
    return [{ code: 'DOCS_ABSENT', detail: 'the documentation was not installed with this service' }]
  if (documents <= MAX_CANDIDATES) return []
  return [
    {
      code: 'CANDIDATES_ONLY',
      detail: `of ${documents} documents the ${MAX_CANDIDATES} that share the most words or beginnings of words were scored`,
    },
  ]
}
