/** The state record: one for each recorded step whatever was decided, never updated, each naming the one before. */
import { canonicalBytesPortable, GENESIS_PREV, sha256Hex } from '@orch/core'
import type { Verdict } from '../../../domain/decision/verdict.ts'
import type { Mode } from './mode.ts'

export const STATE_SCHEMA = 'orch.gdw.state/v1'
export const FIRST_PREV = GENESIS_PREV

export interface StateRecord {
  schema: typeof STATE_SCHEMA
  namespace: string
  owner_id: string
  session_id: string
  /** From 1, without gaps. */
  step: number
  prev_state_hash: string
  request_digest: string
  decision: Verdict
  mode: Mode
  /** Millionths, as are the three below. Of an allowed step it is what was charged, so that `spent` can be recomputed. */
  estimate: number
  spent: number
  budget: number
  granted: number
  policy_sha256: string
  risk_model: string
}

const hashes = new WeakMap<StateRecord, string>()

/** A record never changes, and its hash is asked for wherever the step is told, stored or compared. */
export function stateHash(record: StateRecord): string {
  const known = hashes.get(record) ?? sha256Hex(canonicalBytesPortable(record))
  hashes.set(record, known)
  return known
}

/** Names a session to those who may not know its id. Ids may hold any text, so only this digest is shown. */
export const sessionName = (namespace: string, owner: string, session: string): string =>
  sha256Hex(`${namespace}\u001f${owner}\u001f${session}`)
