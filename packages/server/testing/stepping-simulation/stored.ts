// What is durable, in memory: receipts, documents, counters and answers as the ledger's databases keep them, with the
// refusals those make by themselves. Every change goes through `commit`, so that one number stands for all of it.
import { leafHash, sha256Hex } from '@orch/core'
import type { AnswerRow, ChainHead, CounterRow, DocumentId, Row, StoredDocument } from '../../src/ledger/contract.ts'
import { type CounterChange, type DocumentChange, idOf } from '../../src/ledger/side-writes.ts'
import type { Batch } from '../../src/ledger/store/store.ts'
import type { Head } from '../../src/ledger/types.ts'

export interface Transaction {
  batch: Batch | null
  documents: DocumentChange[]
  counters: CounterChange[]
}

export const organOf = (ns: string, chain: string): string => `${ns}/${chain}`
export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export class Stored {
  rows: Row[] = []
  /** Of each receipt as it was committed: the tree is stored beside the rows. */
  leaves: Uint8Array[] = []
  readonly organs = new Map<string, Row[]>()
  readonly chains = new Map<string, ChainHead>()
  readonly answers = new Map<string, AnswerRow>()
  /** By space, then key. */
  readonly spaces = new Map<string, Map<string, StoredDocument>>()
  readonly counters = new Map<string, CounterRow>()
  head: Head = { size: 0, frontier: { size: 0, hashes: [] }, edges: [], chainCount: 0 }
  /** Of everything that was ever committed, in order: two stores with one fingerprint are equal byte for byte. */
  fingerprint = ''

  documentAt({ space, key }: DocumentId): StoredDocument | null {
    return this.spaces.get(space)?.get(key) ?? null
  }

  /** All of it, or an error and nothing: a database that is asked for the impossible refuses the transaction. */
  commit({ batch, documents, counters }: Transaction): void {
    const changes = [...(batch?.documents ?? []), ...documents]
    const moves = [...(batch?.counters ?? []), ...counters]
    for (const { from, ...document } of changes)
      if ((this.documentAt(document)?.version ?? 0) !== from) throw new Error('a document is at another version')
    for (const { from, ...counter } of moves)
      if ((this.counters.get(idOf(counter))?.value ?? null) !== from) throw new Error('a counter is at another value')
    if (batch !== null) this.take(batch)
    for (const { from, ...document } of changes) this.put(document)
    for (const { from, ...counter } of moves) this.counters.set(idOf(counter), counter)
    if (batch !== null || changes.length + moves.length > 0)
      this.fingerprint = sha256Hex(`${this.fingerprint}${textOf(batch)}${JSON.stringify([changes, moves])}`)
  }

  put(document: StoredDocument): void {
    const space = this.spaces.get(document.space) ?? new Map<string, StoredDocument>()
    this.spaces.set(document.space, space)
    space.set(document.key, document)
  }

  /** To be spoiled: rows and documents are never changed in place, so both can share them. */
  copy(): Stored {
    const other = new Stored()
    other.rows = [...this.rows]
    other.leaves = [...this.leaves]
    for (const [organ, rows] of this.organs) other.organs.set(organ, [...rows])
    for (const [organ, chain] of this.chains) other.chains.set(organ, chain)
    for (const [space, documents] of this.spaces) other.spaces.set(space, new Map(documents))
    for (const [id, counter] of this.counters) other.counters.set(id, counter)
    other.head = this.head
    return other
  }

  private take({ placed, chains, head, answers }: Batch): void {
    for (const chain of chains) this.chains.set(organOf(chain.ns, chain.chain), chain)
    const byId = new Map([...this.chains].map(([organ, { id }]) => [id, organ]))
    for (const { nodeIndex, chainId, seq, prev, digest, lake, body } of placed) {
      const organ = byId.get(chainId)!
      const own = this.organs.get(organ) ?? []
      if (nodeIndex !== this.rows.length || seq !== own.length) throw new Error('a place is taken twice or left out')
      const { ns, chain } = this.chains.get(organ)!
      const unsigned = { signature: null, keyid: null, keyKind: null, signatureState: 'UNSIGNED' as const }
      const row: Row = { nodeIndex, ns, chain, seq, prev, digest, lake, body, ...unsigned }
      this.rows.push(row)
      this.leaves.push(leafHash(body))
      this.organs.set(organ, [...own, row])
    }
    for (const answer of answers) {
      if (this.answers.has(hexOf(answer.key))) throw new Error('a key is answered twice')
      this.answers.set(hexOf(answer.key), { ...answer, treeSize: head.size })
    }
    this.head = head
  }
}

const textOf = (batch: Batch | null): string =>
  batch === null
    ? ''
    : JSON.stringify([
        batch.placed.map(({ digest }) => digest),
        batch.answers.map(({ key, request, answer }) => [hexOf(key), hexOf(request), answer]),
      ])
