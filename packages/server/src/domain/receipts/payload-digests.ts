/** Which receipt holds a payload of a given digest. The ledger has no such index and appends must not pay for one, so
 *  this one remembers the newest receipts only and catches up when it is asked. */
import { replayDigest } from '@orch/core'
import { LIMITS } from '../claim-limits.ts'
import { bodyOf, type ReceiptReader, type StoredReceipt } from '../stored-receipt.ts'
import { sees, type Viewer } from '../visibility.ts'

const PAGE = 256

type Ledger = Readonly<{ reader: Pick<ReceiptReader, 'head' | 'range' | 'byIndex'> }>

interface Entry {
  digest: string
  partition: string
}

export class PayloadDigests {
  readonly #ledger: Ledger
  /** By digest, then by whose receipt it is: one owner's equal payloads must not hide another's. */
  readonly #holders = new Map<string, Map<string, number>>()
  readonly #window = new Map<number, Entry>()
  #next = 0
  #catchingUp: Promise<void> = Promise.resolve()

  constructor(ledger: Ledger) {
    this.#ledger = ledger
  }

  /** Digests of receipts this viewer may read, by the payload digests that were asked for. */
  async find(viewer: Viewer, digests: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    if (digests.length === 0) return found
    await this.#catchUp()
    for (const digest of digests) {
      const row = await this.#visible(viewer, this.#holders.get(digest)?.values() ?? [])
      if (row !== null) found.set(digest, row.digest)
    }
    return found
  }

  async #visible(viewer: Viewer, indexes: Iterable<number>): Promise<StoredReceipt | null> {
    for (const index of indexes) {
      const row = await this.#ledger.reader.byIndex(index)
      if (row !== null && sees(viewer, row)) return row
    }
    return null
  }

  /** One at a time: two would index the same receipts twice. A reading that failed is its caller's to hear of; the next
   *  one begins where it stopped. */
  #catchUp(): Promise<void> {
    const next = this.#catchingUp.then(() => this.#readOn())
    this.#catchingUp = next.catch(() => undefined)
    return next
  }

  async #readOn(): Promise<void> {
    const { size } = await this.#ledger.reader.head()
    this.#next = Math.max(this.#next, size - LIMITS.payload_digest_window)
    while (this.#next < size) {
      const rows = await this.#ledger.reader.range(this.#next, Math.min(PAGE, size - this.#next))
      if (rows.length === 0) return
      for (const row of rows) this.#remember(row)
      this.#next += rows.length
    }
  }

  #remember(row: StoredReceipt): void {
    const body = bodyOf(row)
    if (body === null) return
    const entry = {
      digest: replayDigest(body.payload),
      partition: JSON.stringify([row.ns, body.actor.owner]),
    }
    const holders = this.#holders.get(entry.digest) ?? new Map<string, number>()
    holders.set(entry.partition, row.nodeIndex)
    this.#holders.set(entry.digest, holders)
    this.#window.set(row.nodeIndex, entry)
    if (this.#window.size > LIMITS.payload_digest_window) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const [oldest] = this.#window
    const [index, { digest, partition }] = oldest!
    this.#window.delete(index)
    const holders = this.#holders.get(digest)
    if (holders?.get(partition) === index) holders.delete(partition)
    if (holders?.size === 0) this.#holders.delete(digest)
  }
}
