/** The corpus, built at the first search, and the search over it and over the caller's receipts. */
import { canonicalBytes, RegistryError, readRegistry, sha256Hex } from '@orch/core'
import { LRUCache } from 'lru-cache'
import { roundDeep } from '../../../domain/rounded.ts'
import type { Call } from '../../../operation.ts'
import type { Ports } from '../../../ports.ts'
import type { SearchDocument, SearchSource } from '../contract.ts'
import type { SearchResult } from '../replies.ts'
import * as corpus from './corpus.ts'
import { searchIndexes } from './rank.ts'
import { asOwner, MAX_RECEIPTS, mayReadReceipts, receiptDocuments } from './receipt-documents.ts'
import { TextIndex } from './text-index.ts'

export interface SearchNeeds extends Pick<Ports, 'ledger' | 'artifacts' | 'catalog'> {
  organs(): ReadonlyMap<string, { item: Omit<corpus.ListedOrgan, 'ops'>; organ: { ops: Ops } }>
  requirements: readonly corpus.Requirement[]
  limits: readonly corpus.ServiceLimit[]
  /** What other features bring, such as the frontier projects: one line each where the service is put together. */
  searchSources: readonly SearchSource[]
}

type Ops = Readonly<Record<string, { summary: string }>>
interface Corpus {
  index: TextIndex
  facts: SearchResult['corpus']
}

/** Callers whose receipts are kept indexed. */
const MAX_CALLERS = 32

export function openSearch(needs: SearchNeeds) {
  const ownReceipts = openOwnReceipts(needs)
  let built: Promise<Corpus> | null = null
  const current = (): Promise<Corpus> => {
    built ??= buildCorpus(needs)
    const building = built
    const forget = () => {
      if (built === building) built = null
    }
    // What lacks a source, or was not built at all, is built again for the next one who asks.
    building.then(({ facts }) => facts.missing.length > 0 && forget(), forget)
    return building
  }
  return {
    documents: async () => (await current()).facts.documents,
    async run(text: string, limit: number, caller: Call['caller']): Promise<SearchResult> {
      const { index, facts } = await current()
      const own = text.trim() === '' ? NOT_ASKED : await ownReceipts(caller)
      const found = searchIndexes([index, own.index], text, limit)
      const receipts = { searched: own.reason === null, documents: own.index.documents.length, reason: own.reason }
      return roundDeep({ q: text, limit, label: 'STRUCTURAL-ONLY', corpus: facts, receipts, ...found })
    },
  }
}

interface OwnReceipts {
  index: TextIndex
  /** Why they were not searched. */
  reason: string | null
}

const NOTHING = new TextIndex([])
const NOT_ASKED: OwnReceipts = { index: NOTHING, reason: 'nothing was asked for' }
const NOT_ALLOWED: OwnReceipts = { index: NOTHING, reason: 'receipts need a credential with the scope receipts:read' }

/** A caller's receipts are read and indexed once for each head of the ledger: until something is appended, by this node or
 *  another one, they are the same. */
function openOwnReceipts({ ledger }: SearchNeeds): (caller: Call['caller']) => Promise<OwnReceipts> {
  const indexCache = new LRUCache<string, { head: string; index: TextIndex }>({ max: MAX_CALLERS })
  return async (caller) => {
    if (!mayReadReceipts(caller)) return NOT_ALLOWED
    const { size, frontier } = await ledger.reader.head()
    const head = `${size} ${Buffer.concat(frontier).toString('base64')}`
    const viewer = asOwner(caller)
    const key = JSON.stringify([viewer.authMode, viewer.namespace, viewer.owner])
    const known = indexCache.get(key)
    if (known?.head === head) return { index: known.index, reason: null }
    const index = new TextIndex(receiptDocuments(await ledger.queries.newestReceipts(viewer, MAX_RECEIPTS)))
    indexCache.set(key, { head, index })
    return { index, reason: null }
  }
}

async function buildCorpus(needs: SearchNeeds): Promise<Corpus> {
  const sources = [...ownSources(needs), ...needs.searchSources]
  const read = await Promise.all(sources.map(async (source) => ({ kind: source.kind, list: await attempt(source) })))
  const documents = read.flatMap(({ list }) => list ?? [])
  const keys = new Set(documents.map(({ key }) => key))
  if (keys.size !== documents.length) throw new Error('two documents of the search corpus have the same key')
  const kinds = read.flatMap(({ kind, list }) => (list === null ? [] : [[kind, list.length] as const]))
  return {
    index: new TextIndex(documents),
    facts: {
      documents: documents.length,
      digest: sha256Hex(canonicalBytes(documents)),
      kinds: Object.fromEntries(kinds),
      missing: read.filter(({ list }) => list === null).map(({ kind }) => kind),
    },
  }
}

/** A source that cannot be read is named as missing; the rest can be searched all the same. */
async function attempt(source: SearchSource): Promise<readonly SearchDocument[] | null> {
  try {
    return await source.documents()
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

function ownSources({ catalog, organs, artifacts, requirements, limits }: SearchNeeds): SearchSource[] {
  const pathOf = (id: string): string => catalog.find((entry) => entry.id === id)?.path ?? ''
  const described = pathOf('runtime.openapi')
  return [
    { kind: 'operation', documents: () => corpus.operationDocuments(catalog) },
    {
      kind: 'organ',
      documents: () => corpus.organDocuments([...organs().values()].map(listed), pathOf('organs.describe')),
    },
    {
      kind: 'formula',
      async documents() {
        const file = await artifacts.text('formula-registry')
        if (!file.present) throw new RegistryError('the formula registry is not there')
        return corpus.formulaDocuments(readRegistry(file.text), pathOf('formulas.tiers'))
      },
    },
    { kind: 'label', documents: () => corpus.labelDocuments(described) },
    { kind: 'assurance', documents: () => corpus.requirementDocuments(requirements, pathOf('assurance.matrix')) },
    { kind: 'error', documents: () => corpus.errorDocuments(described) },
    { kind: 'limit', documents: () => corpus.limitDocuments(limits, described) },
  ]
}

const listed = ({
  item,
  organ,
}: {
  item: Omit<corpus.ListedOrgan, 'ops'>
  organ: { ops: Ops }
}): corpus.ListedOrgan => ({
  ...item,
  ops: Object.entries(organ.ops).map(([name, { summary }]) => `${name}: ${summary}`),
})
