/** What sessions have spent, by the receipts that are put into an empty store: an export and a snapshot hold no documents,
 *  and a session that began anew there would have its risk budget twice. */
import type { LedgerExportReceipt } from '@orch/core'
import { partitionName } from '../../domain/partition.ts'
import { bodyOf } from '../../domain/stored-receipt.ts'
import { BUDGET_SPACE, budgetText, chargeIn, IDLE_MS } from '../../governance/session-budget.ts'
import { systemClock } from '../../platform/clock.ts'
import type { DocumentChange } from '../side-writes.ts'
import type { LedgerStore } from '../store/store.ts'

const PAGE = 256

export class ImportedBudgets {
  private readonly newest = new Map<string, DocumentChange>()
  private readonly since = systemClock.now() - IDLE_MS

  /** In the order of the ledger. */
  note({ node_index: nodeIndex, body: bytes }: LedgerExportReceipt): void {
    const body = bodyOf({ body: bytes })
    const charge = body && chargeIn(body)
    if (charge === null || charge.at < this.since) return
    const owner = partitionName({ namespace: body!.ns, owner: body!.actor.owner })
    const place = { space: BUDGET_SPACE, key: charge.session, version: 1, from: 0, owner, nodeIndex }
    this.newest.set(charge.session, { ...place, state: 'open', rank: charge.at, value: budgetText(charge.spent) })
  }

  /** Before the store is called a ledger. */
  async write(store: LedgerStore): Promise<void> {
    const documents = [...this.newest.values()]
    for (let at = 0; at < documents.length; at += PAGE) {
      await store.lock()
      await store.writeDocuments(documents.slice(at, at + PAGE))
      await store.commit()
    }
  }
}
