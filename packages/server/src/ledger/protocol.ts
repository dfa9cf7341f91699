/** Messages between the service's thread and the ledger's. */
import type { LedgerState, SignerInfo, TailReport } from './contract.ts'
import type { Outcome } from './outcome.ts'
import type { OwnFile } from './store/own-files.ts'
import type { Entry, SideWrites } from './types.ts'

export interface LedgerSettings {
  data: string
  store: 'sqlite' | 'postgres' | 'memory'
  postgresUrl: string | null
  signer: 'demo' | 'none' | 'external'
  signerUrl: string | null
  signerPublicKey: string | null
  /** Id of a demo key whose file is lost and that the operator gives up. */
  lostKey?: string | null
  allowUnsigned: boolean
  /** Name of the transparency log where the operator gave one. */
  logOrigin: string | null
  /** Name of a log that begins here without one. */
  defaultOrigin: string
  /** Keys of other ledgers that the operator takes for production keys. */
  trustedKeyids?: readonly string[]
  /** Where the newest checkpoint is kept; in the data folder where absent or null. */
  guard?: GuardSettings | null
  /** The operator accepts a restored store; the ledger is opened for this and nothing else. */
  acceptRestore?: AcceptRestore
}

export interface GuardSettings {
  /** The path of a file, or the URL of a witness. */
  at: string
  /** Verification key of the witness; null where its address vouches for it. */
  key: string | null
  /** How long receipts are taken while the guard does not answer. */
  graceMs: number
}

/** Heads as `<size>:<root>`, or `none`: what is accepted is this state and no other. */
export interface AcceptRestore {
  guardHead: string
  storeHead: string
  reason: string
}

/** The verification key comes from the thread that holds the log key: the store's word for it proves nothing. `files` are
 *  those that the writing thread has open: no others are read. */
export type ReaderSettings = LedgerSettings & { vkey: string; files: readonly OwnFile[] }

export type LedgerCall =
  | 'checkpoint'
  | 'probe'
  | 'storeModes'
  | 'testSigner'
  | 'prepareKey'
  | 'activateKey'
  | 'signCheckpoint'

export type ToLedger =
  | { type: 'append'; entries: { id: number; entry: Entry }[] }
  | { type: 'read'; id: number; method: string; args: unknown[] }
  | { type: 'call'; id: number; method: LedgerCall }
  | { type: 'side-writes'; id: number; writes: SideWrites }
  | { type: 'sign'; id: number; payloadType: string; bytes: Uint8Array }
  /** The walk of the reading thread found a break: nothing more is appended. */
  | { type: 'stop'; reason: string }
  | { type: 'close' }

export type FromLedger =
  | { type: 'ready'; state: LedgerState; signer: SignerInfo; vkey: string; tail: TailReport; files: readonly OwnFile[] }
  | { type: 'failed'; message: string }
  | { type: 'settled'; outcomes: [number, Outcome][]; state: LedgerState | null }
  | { type: 'state'; state: LedgerState }
  | { type: 'signer'; signer: SignerInfo }
  | { type: 'closed' }

export type FromReader =
  | { type: 'snapshots'; fault: string | null; missing: number }
  | { type: 'broken'; reason: string }
