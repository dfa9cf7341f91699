/** The key that signs for the ledger: which one it is, its place in the ring, its newest self-test, and how the next one
 *  takes over. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type PublicKey, pemEncode, withKey } from '@orch/core'
import { GUARD_FILE } from '../../adapters/guard/guard.ts'
import { activateDemoKey, DEMO_KEY_FILE, demoSigner, hasDemoKey, prepareDemoKey } from '../../adapters/signers/demo.ts'
import { noSigner, type Signer, selfTest } from '../../adapters/signers/signer.ts'
import { type OwnRecord, recordedKey } from '../audit/own-record.ts'
import type { KeyKind, KeyRow, SelfTest, SignerInfo } from '../contract.ts'
import type { LedgerSettings } from '../protocol.ts'
import type { BatchSigner } from '../sequencer-deps.ts'
import type { LedgerStore } from '../store/store.ts'
import { foreignKinds } from './claim.ts'

type KeyStore = Pick<LedgerStore, 'keys' | 'putKey' | 'head' | 'lock' | 'commit' | 'rollback' | 'meta'>

export async function openSigner(settings: LedgerSettings): Promise<Signer> {
  if (settings.signer === 'none') return noSigner
  if (settings.signer === 'demo') return demoSigner(settings.data)
  // Loaded where it is used: it brings node:http, a sixth of the start of this thread.
  const { externalSigner } = await import('../../adapters/signers/external.ts')
  return externalSigner(settings.signerUrl!, settings.signerPublicKey!)
}

/** A demo key in use whose file is gone is not replaced in silence: receipts would go on under another key while the ring
 *  says that the old one still signs. Gives the key that the operator gives up, where there is one. A data folder without a
 *  key is that of a node that begins here, unless the store is its own or a checkpoint in it says that it ran before. */
export async function assertNoLostKey(
  { signer, data, lostKey }: LedgerSettings,
  store: Pick<LedgerStore, 'keys' | 'exclusive'>,
): Promise<KeyRow | null> {
  if (signer !== 'demo' || hasDemoKey(data) || (!store.exclusive && !existsSync(join(data, GUARD_FILE)))) return null
  const ring = await store.keys()
  const lost = ring.filter(({ kind, from, toIndex }) => kind === 'demo' && from !== '' && toIndex === null)
  const [first] = lost
  const givenUp = lost.find(({ keyid }) => keyid === lostKey)
  if (first === undefined || givenUp !== undefined) return givenUp ?? null
  throw new Error(
    `the ring says that key ${first.keyid} signs here, and ${DEMO_KEY_FILE} is not in the data folder; restore that file from a copy, or start once with ORCH_LOST_KEY=${first.keyid} to end this key and sign with a new one`,
  )
}

const pemOf = (key: PublicKey): string => pemEncode(key.spki, 'PUBLIC KEY')

export type SigningKeys = ReturnType<typeof signingKeys>

export function signingKeys(
  settings: LedgerSettings,
  opened: Signer,
  store: KeyStore,
  record: OwnRecord,
  now: () => string,
) {
  let signer = opened
  let newestTest: SelfTest = { ok: false, testedAt: now(), reason: 'not tested yet' }

  function key(): { keyid: string; kind: KeyKind } | null {
    const { key, kind } = signer
    return key === null || kind === null ? null : { keyid: key.keyid, kind }
  }

  function info(): SignerInfo {
    const { kind, key } = signer
    return { kind, keyid: key?.keyid ?? null, publicKeyPem: key === null ? null : pemOf(key), test: newestTest }
  }

  async function test(): Promise<void> {
    newestTest = await selfTest(signer, now)
  }

  /** Puts the key into the ring, in use from the receipt of this index on, unless it is there. One that came with an import
   *  is from here on what its signer is. */
  async function enter(fromIndex: number): Promise<void> {
    const { key, kind } = signer
    if (key === null || kind === null) return
    const known = (await store.keys()).find((row) => row.keyid === key.keyid)
    if (known?.kind === kind) return
    const place = known ?? { fromIndex, toIndex: null, from: now(), to: null }
    await put([{ ...place, keyid: key.keyid, spki: key.spki, kind }])
  }

  /** Keys that came with an import are what the operator takes them for at this start. Those that came into use here keep
   *  the kind of the signer that held them. */
  async function settleKinds(): Promise<void> {
    const foreign = (await store.keys()).filter(({ from, keyid }) => from === '' && keyid !== key()?.keyid)
    const kindOf = await foreignKinds(settings, store)
    const settled = foreign.map((row) => ({ ...row, kind: kindOf(row.keyid) }))
    await put(settled.filter(({ kind }, at) => kind !== foreign[at]!.kind))
  }

  /** The row and the ledger's signed word for it, together or not at all. */
  async function put(rows: readonly KeyRow[]): Promise<void> {
    if (rows.length === 0) return
    await store.lock()
    try {
      for (const row of rows) {
        await store.putKey(row)
        await record.change((record) => withKey(record, recordedKey(row)))
      }
      await store.commit()
    } catch (error) {
      await store.rollback()
      throw error
    }
  }

  /** The next key exists from here on and signs nothing yet: the old one is to vouch for it first. */
  async function prepare(): Promise<{ old: string; next: string; nextPem: string }> {
    if (signer.kind !== 'demo' || signer.key === null)
      throw new Error('only a demo key is rotated here; change the key of the signing service instead')
    const next = prepareDemoKey(settings.data)
    return { old: signer.key.keyid, next: next.keyid, nextPem: pemOf(next) }
  }

  /** Call between two batches: no batch may be signed by one key and recorded under the other. */
  async function activate(fromIndex: number): Promise<void> {
    const old = signer.key!.keyid
    activateDemoKey(settings.data, old)
    signer = demoSigner(settings.data)
    const ended = (await store.keys()).find((row) => row.keyid === old)
    if (ended) await end(ended)
    await enter(fromIndex)
  }

  /** From here on nothing that is signed with it counts. */
  async function end(key: KeyRow): Promise<void> {
    await put([{ ...key, toIndex: (await store.head()).size, to: now() }])
  }

  const sign: BatchSigner['sign'] = (messages) => signer.sign(messages)
  const signsHere = (): boolean => signer.signsHere === true
  const close = (): void => signer.close()
  return { key, sign, signsHere, info, test, enter, settleKinds, prepare, activate, end, close }
}
