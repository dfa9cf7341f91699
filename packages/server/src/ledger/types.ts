/** The words the ledger's parts share. Plain data: all of it crosses a thread boundary. */

import type { BodyTemplate, Frontier } from '@orch/core'
import type { CounterMove, DocumentWrite, Idempotency, SignatureState } from './contract.ts'

/** What commits whole or not at all, with a receipt or by itself. A list without anything in it is left out. */
export interface SideWrites {
  documents?: readonly DocumentWrite[]
  counters?: readonly CounterMove[]
}

/** What a caller hands in: everything about a receipt but its place. Where one of its documents changed meanwhile or one
 *  of its counters has no room, there is no receipt either. */
export interface Entry extends SideWrites {
  ns: string
  chain: string
  ts: string
  template: BodyTemplate
  idempotency: Idempotency | null
  /** Wants its proof of inclusion with the acknowledgement. */
  prove?: true
  /** No key signs it, though one may be in charge. */
  unsigned?: true
  /** Commits with the receipt, which leaves this head. The ledger's own thread alone sets it: it crosses no boundary. */
  alongside?: (head: Head) => Promise<void>
}

/** The tile a level of the tree is filling at the moment. */
export interface Edge {
  index: number
  hashes: readonly Uint8Array[]
}

/** Where the whole ledger stands. Never changed in place. */
export interface Head {
  size: number
  frontier: Frontier
  /** By tile level, lowest first. */
  edges: readonly Edge[]
  /** How many chains there are; a new one gets the next number. */
  chainCount: number
}

/** A receipt with its place, before its signature. */
export interface Placed {
  nodeIndex: number
  chainId: number
  seq: number
  prev: string
  digest: string
  lake: string
  body: Uint8Array
  /** Unsigned by choice, whatever key is in charge of its batch. */
  unsigned?: true
}

export type RefusalCode =
  | 'ledger_read_only'
  | 'ledger_busy'
  | 'guard_unavailable'
  | 'signer_unavailable'
  | 'store_unavailable'
  | 'idempotency_conflict'
  | 'receipt_too_large'
  | 'state_conflict'
  | 'quota_exceeded'

/** A key in charge and no signature: it should have signed and did not. No key is in charge of what is unsigned by
 *  choice. */
export const signatureState = (signed: boolean, keyInCharge: boolean): SignatureState =>
  signed ? 'SIGNED' : keyInCharge ? 'SIGNER_UNAVAILABLE' : 'UNSIGNED'
