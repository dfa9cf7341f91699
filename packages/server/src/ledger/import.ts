/** Puts receipts that exist into an empty store, byte for byte, re-walking every link on the way. */

import {
  assertAcyclic,
  assertEmitsNext,
  GENESIS_PREV,
  type LedgerExportReceipt,
  lakeHash,
  organOf,
  readBody,
} from '@orch/core'
import type { ChainHead } from '../ledger-contract.ts'
import { TreeGrowth } from './place.ts'
import type { LedgerStore } from './store.ts'
import type { Head, Placed } from './types.ts'

const BATCH = 256

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

  constructor(store: LedgerStore, head: Head) {
    if (head.size !== 0) throw new Error(`the target already holds ${head.size} receipts; import needs an empty one`)
    this.store = store
    this.head = head
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

  private placeAsIs({ node_index: nodeIndex, body, lake }: LedgerExportReceipt, tree: TreeGrowth): Placed {
    const reading = readBody(body)
    if (!reading.ok) throw new Error(`receipt ${nodeIndex} is no receipt: ${reading.detail}`)
    const { digest } = reading
    const { ns, chain, seq, prev, ts_utc } = reading.body
    const organ = organOf(ns, chain)
    const head = this.chains.get(organ) ?? {
      id: this.chains.size + 1,
      ns,
      chain,
      depth: 0,
      head: GENESIS_PREV,
      headIndex: -1,
      lake: GENESIS_PREV,
    }
    assertEmitsNext(tree.frontier.size - 1, nodeIndex)
    assertAcyclic(head.headIndex, nodeIndex)
    if (seq !== head.depth || prev !== head.head)
      throw new Error(`receipt ${nodeIndex} does not link to the one before it in ${organ}`)
    const expected = lakeHash({ organ, chain_index: seq + 1, prev_hash: head.lake, receipt_digest: digest, ts_utc })
    if (expected !== lake) throw new Error(`receipt ${nodeIndex} does not have its lake hash`)
    tree.grow(body)
    this.chains.set(organ, { ...head, depth: seq + 1, head: digest, headIndex: nodeIndex, lake })
    this.batch!.touched.add(organ)
    return { nodeIndex, chainId: head.id, seq, prev, digest, lake, body }
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
    await this.store.commit()
    this.head = grown.head
    this.batch = null
  }
}
