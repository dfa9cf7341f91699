/** Puts receipts that exist into an empty store, byte for byte, re-walking every link and verifying every signature on
 *  the way. While it is at it the store says so, and no service starts on half of a ledger. */

import {
  assertAcyclic,
  assertEmitsNext,
  EMPTY_RECORD,
  type LedgerExportReceipt,
  type LedgerRecord,
  lakeHash,
  mayGoUnsigned,
  organOf,
  type PublicKey,
  pae,
  RECEIPT_PAYLOAD_TYPE,
  readBody,
  strictJsonOrNull,
  type UnsignedSpan,
  verifyP256Sync,
  withUnsigned,
} from '@orch/core'
import { newChain } from './chain-heads.ts'
import type { ChainHead } from './contract.ts'
import { TreeGrowth } from './place.ts'
import type { LedgerStore } from './store/store.ts'
import { StoreDamaged } from './store/stored-rows.ts'
import type { Head, Placed } from './types.ts'

const BATCH = 256

/** Where what was imported carries no signature. Plain text: it becomes the ledger's signed word when a log key meets the
 *  store for the first time, and nobody reads it after that. */
export const IMPORTED_UNSIGNED = 'imported_unsigned'

/** The keys of which an imported receipt says, in the bytes they signed, that they are demo keys. */
export const IMPORTED_DEMO_KEYS = 'imported_demo_keys'

export const readDemoKeys = (text: string | null): readonly string[] =>
  readList(text, IMPORTED_DEMO_KEYS, 'is no list of keys', () => true)

export const readSpans = (text: string | null): UnsignedSpan[] =>
  readList(text, IMPORTED_UNSIGNED, 'is no list of places', isSpan)

const isSpan = (span: unknown): boolean =>
  Number.isSafeInteger((span as UnsignedSpan | null)?.from) && Number.isSafeInteger((span as UnsignedSpan).to)

function readList<T>(text: string | null, row: string, fault: string, isItem: (item: unknown) => boolean): T[] {
  const list = text === null ? [] : strictJsonOrNull(text)
  if (!Array.isArray(list) || !list.every(isItem)) throw new StoreDamaged(`the row ${row} of table meta`, fault)
  return list as T[]
}

/** Set while receipts are being put in; empty when all are there. */
export const INCOMING = 'incoming'
export const CUT_SHORT =
  'the store holds part of an import, a restore or a move that was cut short; empty it and start that again'

/** The file that says what is signed by whom: its keys, and where it says that nothing is. */
interface ImportTerms {
  keys: ReadonlyMap<string, PublicKey>
  /** Whether the ledger it comes from recorded this one without a signature. */
  declared?(nodeIndex: number): boolean
}

/** Refuses the first receipt that does not continue what came before it; nothing after it is stored. */
export class Importer {
  private readonly store: LedgerStore
  private head: Head
  private readonly chains = new Map<string, ChainHead>()
  private batch: {
    placed: Placed[]
    signatures: (Uint8Array | null)[]
    keyid: string | null
    touched: Set<string>
    tree: TreeGrowth
  } | null = null
  private unsigned: LedgerRecord = EMPTY_RECORD
  private readonly terms: ImportTerms
  private hasSigned = false
  private readonly demoKeys = new Set<string>()

  private constructor(store: LedgerStore, head: Head, terms: ImportTerms) {
    if (head.size !== 0) throw new Error(`the target already holds ${head.size} receipts; import needs an empty one`)
    this.store = store
    this.head = head
    this.terms = terms
  }

  static async begin(store: LedgerStore, terms: ImportTerms): Promise<Importer> {
    const importer = new Importer(store, await store.head(), terms)
    await store.putMeta(INCOMING, 'receipts')
    return importer
  }

  /** Everything is there: from here on the store is a ledger. */
  async finish(): Promise<void> {
    await this.flush()
    await this.store.putMeta(INCOMING, '')
  }

  get size(): number {
    return this.batch?.tree.frontier.size ?? this.head.size
  }

  get current(): Head {
    return this.head
  }

  async push(receipt: LedgerExportReceipt): Promise<void> {
    // One batch names one key, so a change of key begins another.
    const full = this.batch !== null && this.batch.placed.length >= BATCH
    const otherKey = this.batch !== null && this.batch.keyid !== receipt.keyid
    if (full || otherKey) await this.flush()
    this.batch ??= {
      placed: [],
      signatures: [],
      keyid: receipt.keyid,
      touched: new Set(),
      tree: new TreeGrowth(this.head),
    }
    const placed = this.placeAsIs(receipt, this.batch.tree)
    this.batch.placed.push(placed)
    this.batch.signatures.push(receipt.signature)
  }

  private placeAsIs(receipt: LedgerExportReceipt, tree: TreeGrowth): Placed {
    const { node_index: nodeIndex, body, lake } = receipt
    const reading = readBody(body)
    if (!reading.ok) throw new Error(`receipt ${nodeIndex} is no receipt: ${reading.detail}`)
    const { digest } = reading
    const { ns, chain, seq, prev, ts_utc } = reading.body
    const organ = organOf(ns, chain)
    const head = this.chains.get(organ) ?? newChain(this.chains.size + 1, ns, chain)
    assertEmitsNext(tree.frontier.size - 1, nodeIndex)
    assertAcyclic(head.headIndex, nodeIndex)
    if (seq !== head.depth || prev !== head.head)
      throw new Error(`receipt ${nodeIndex} does not link to the one before it in ${organ}`)
    const expected = lakeHash({ organ, chain_index: seq + 1, prev_hash: head.lake, receipt_digest: digest, ts_utc })
    if (expected !== lake) throw new Error(`receipt ${nodeIndex} does not have its lake hash`)
    this.judge(receipt, mayGoUnsigned(reading.body))
    if (receipt.keyid !== null && reading.body.payload.key_kind === 'demo') this.demoKeys.add(receipt.keyid)
    tree.grow(body)
    this.chains.set(organ, { ...head, depth: seq + 1, head: digest, headIndex: nodeIndex, lake })
    this.batch!.touched.add(organ)
    return { nodeIndex, chainId: head.id, seq, prev, digest, lake, body }
  }

  /** A signature taken off is no more taken over than one that does not verify. */
  private judge({ node_index: at, body, signature, keyid }: LedgerExportReceipt, isSample: boolean): void {
    if (signature !== null) {
      const key = this.terms.keys.get(keyid ?? '')
      if (key === undefined || !verifyP256Sync(key, pae(RECEIPT_PAYLOAD_TYPE, body), signature))
        throw new Error(`the signature of receipt ${at} does not verify under a key of this ledger`)
      this.hasSigned = true
      return
    }
    if (isSample) return
    if (this.hasSigned && this.terms.declared?.(at) !== true)
      throw new Error(`receipt ${at} carries no signature, and nothing says that it was recorded without one`)
    this.unsigned = withUnsigned(this.unsigned, { from: at, to: at + 1 })
  }

  async flush(): Promise<void> {
    if (this.batch === null) return
    const { placed, signatures, keyid, touched, tree } = this.batch
    const grown = tree.result(this.chains.size)
    await this.store.lock()
    await this.store.write({
      placed,
      signatures,
      keyid,
      chains: [...touched].map((organ) => this.chains.get(organ)!),
      answers: [],
      ...grown,
    })
    if (this.unsigned !== EMPTY_RECORD)
      await this.store.putMeta(IMPORTED_UNSIGNED, JSON.stringify(this.unsigned.unsigned))
    if (this.demoKeys.size > 0) await this.store.putMeta(IMPORTED_DEMO_KEYS, JSON.stringify([...this.demoKeys]))
    await this.store.commit()
    this.head = grown.head
    this.batch = null
  }
}
