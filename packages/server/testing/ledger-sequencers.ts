// The append path with signers and stores that fail where it hurts.

import assert from 'node:assert/strict'
import { sha256 } from '@orch/core'
import type { Appended } from '../src/ledger/contract.ts'
import type { Outcome } from '../src/ledger/outcome.ts'
import { Sequencer } from '../src/ledger/sequencer.ts'
import type { BatchSigner, SequencerDeps } from '../src/ledger/sequencer-deps.ts'
import { postgresStore } from '../src/ledger/store/postgres/store.ts'
import type { Batch, LedgerStore } from '../src/ledger/store/store.ts'
import type { Entry } from '../src/ledger/types.ts'
import { KEYID, type OpenLedger } from './ledger-stores.ts'

export const fakeSignature = (message: Uint8Array): Uint8Array => sha256(message)

export const signer: BatchSigner = {
  key: () => ({ keyid: KEYID, kind: 'demo' }),
  sign: async (messages) => messages.map(fakeSignature),
}

/** Signs unless told to fail. */
export function switchedSigner(): BatchSigner & { fails: boolean } {
  const own = {
    fails: false,
    key: signer.key,
    async sign(messages: readonly Uint8Array[]) {
      await new Promise(setImmediate)
      if (own.fails) throw new Error('the signing service does not answer')
      return messages.map(fakeSignature)
    },
  }
  return own
}

export async function sequencerOn(store: LedgerStore, over: Partial<SequencerDeps> = {}): Promise<Sequencer> {
  const quiet = { onCommit: () => undefined, onReadOnly: () => undefined }
  const deps = { store, signer, allowUnsigned: false, nowMs: () => 5, stampMs: () => 5, ...quiet, ...over }
  return new Sequencer(deps, await store.head())
}

export const appendAll = (sequencer: Sequencer, entries: readonly Entry[]): Promise<Outcome[]> =>
  Promise.all(entries.map((entry) => sequencer.append(entry)))

/** As one batch: a chore holds the ledger until all of them wait. */
export async function appendTogether(sequencer: Sequencer, entries: readonly Entry[]): Promise<Outcome[]> {
  const turn = sequencer.runExclusive(() => new Promise(setImmediate))
  const outcomes = appendAll(sequencer, entries)
  await turn
  return outcomes
}

export function assertAppended(outcome: Outcome): Appended {
  assert.ok(outcome.ok, outcome.ok ? '' : `${outcome.code}: ${outcome.message}`)
  return outcome.appended
}

export const codeOf = (outcome: Outcome): string => (outcome.ok ? 'ok' : outcome.code)

const bytes = (n: number): Uint8Array => sha256(new Uint8Array([n & 255, n >> 8]))
export const keyed = (n: number, request = n, answer = `answer ${n}`) => ({
  key: bytes(n),
  request: bytes(request),
  answer,
})

/** The store with one step that fails while `broken` names it. */
export function breakable(store: LedgerStore): LedgerStore & { broken: string | null } {
  const own = { ...store, broken: null as string | null }
  const failing = async (step: string) => {
    if (own.broken === step) throw Object.assign(new Error('input/output error'), { code: 'EIO' })
  }
  own.lock = () => failing('lock').then(() => store.lock())
  own.begin = () => failing('lock').then(() => store.begin())
  own.chain = (ns, chain) => failing('chain').then(() => store.chain(ns, chain))
  own.write = (batch: Batch) => store.write(batch).then(() => failing('write'))
  own.commit = () => failing('commit').then(() => store.commit())
  return own
}

/** A second node on the same database. */
export async function secondNode(ledger: OpenLedger, use: (store: LedgerStore) => Promise<void>): Promise<void> {
  const store = postgresStore({ url: ledger.url! })
  await store.open()
  try {
    await use(store)
  } finally {
    await store.close()
  }
}
