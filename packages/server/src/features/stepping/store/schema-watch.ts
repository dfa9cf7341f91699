/** Whether the steps in the store are of the form this build writes. A store that a later build has stepped on is not
 *  stepped on by this one: it would not understand what it continues. */

import { bodyOf } from '../../../domain/stored-receipt.ts'
import type { ChainHead, LedgerReader } from '../../../ledger/contract.ts'
import { STATE_SCHEMA } from '../rules/state.ts'
import { readStateNamed, STEP_CHAIN } from './session-documents.ts'

export class SchemaWatch {
  private readonly reader: LedgerReader
  private other = false

  constructor(reader: LedgerReader) {
    this.reader = reader
  }

  /** As it was found when somebody last looked: the answer is wanted where nobody may wait. */
  get isOther(): boolean {
    return this.other
  }

  /** At the newest step of every namespace. */
  async look(): Promise<void> {
    const chains = (await this.reader.chains()).filter(({ chain }) => chain === STEP_CHAIN)
    const schemas = await Promise.all(chains.map((chain) => this.newest(chain)))
    this.other = schemas.some((schema) => schema !== null && schema !== STATE_SCHEMA)
  }

  /** Null where it cannot be told: what is missing or altered is for the walk to say. */
  private async newest({ ns, chain, depth }: ChainHead): Promise<string | null> {
    const row = await this.reader.bySeq(ns, chain, depth - 1)
    const payload = row && bodyOf(row)?.payload
    if (typeof payload?.session !== 'string' || typeof payload.step !== 'number') return null
    const stored = await readStateNamed(this.reader, payload.session, payload.step).catch(() => null)
    const schema: unknown = stored?.state.record?.schema
    return typeof schema === 'string' ? schema : null
  }
}
