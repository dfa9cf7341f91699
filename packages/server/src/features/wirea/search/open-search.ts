/** The corpus, built at the first search, and the search over it and over the caller's receipts. */
import { canonicalBytes, RegistryError, readRegistry, sha256Hex } from '@orch/core'
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

export function openSearch(needs: SearchNeeds) {
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
      const own = text.trim() === '' ? NOT_ASKED : await ownReceipts(needs, caller)
      const found = searchIndexes([index, new TextIndex(own.documents)], text, limit)
      const receipts = { searched: own.reason === null, documents: own.documents.length, reason: own.reason }
      return roundDeep({ q: text, limit, label: 'STRUCTURAL-ONLY', corpus: facts, receipts, ...found })
    },
  }
}

interface OwnReceipts {
  documents: SearchDocument[]
  /** Why they were not searched. */
  reason: string | null
}

const NOT_ASKED: OwnReceipts = { documents: [], reason: 'nothing was asked for' }

async function ownReceipts({ ledger }: SearchNeeds, caller: Call['caller']): Promise<OwnReceipts> {
  if (!mayReadReceipts(caller))
    return { documents: [], reason: 'receipts need a credential with the scope receipts:read' }
  return {
    documents: receiptDocuments(await ledger.queries.newestReceipts(asOwner(caller), MAX_RECEIPTS)),
    reason: null,
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
