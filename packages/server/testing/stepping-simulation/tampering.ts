/** One record of a whole store spoiled, in each of the ways somebody with the database could, and the index at which
 *  a walk has to say so. */

import { documentKey } from '../../src/domain/document-key.ts'
import type { StoredEffect, StoredSession, StoredState } from '../../src/features/stepping/contract.ts'
import { stateKey } from '../../src/features/stepping/store/session-documents.ts'
import type { DocumentRow, Row } from '../../src/ledger/contract.ts'
import type { Random } from '../fuzz/random.ts'
import type { Stored } from './stored.ts'

const SPACE = 'gdw.state'

type Spoil = (stored: Stored, chain: readonly Row[], at: number, other: number) => number

const stateOf = (stored: Stored, row: Row): DocumentRow => {
  const { session, step } = JSON.parse(Buffer.from(row.body).toString()).payload
  return stored.documentAt({ space: SPACE, key: stateKey(session, step) }) as DocumentRow
}

export const SPOILS: Record<string, Spoil> = {
  altering(stored, chain, at) {
    const state = stateOf(stored, chain[at]!)
    const value = JSON.parse(state.value) as StoredState
    value.record.estimate += 1
    stored.put({ ...state, value: JSON.stringify(value) })
    return at
  },
  deleting(stored, chain, at) {
    stored.spaces.get(SPACE)!.delete(stateOf(stored, chain[at]!).key)
    return at
  },
  swapping(stored, chain, at, other) {
    const [one, two] = [stateOf(stored, chain[at]!), stateOf(stored, chain[other]!)]
    stored.put({ ...one, value: two.value })
    stored.put({ ...two, value: one.value })
    return Math.min(at, other)
  },
  duplicating(stored, chain, at, other) {
    stored.put({ ...stateOf(stored, chain[at]!), value: stateOf(stored, chain[other]!).value })
    return at
  },
  inserting(stored, chain, at) {
    const state = stateOf(stored, chain[at]!)
    const { session } = JSON.parse(Buffer.from(chain[at]!.body).toString()).payload
    const beyond = chain.filter((row) => stateOf(stored, row).owner === state.owner).length + 1
    stored.put({ ...state, key: stateKey(session, beyond), rank: beyond })
    return chain.length
  },
  rewriting(stored, chain, at) {
    const row = chain[at]!
    const body = Buffer.from(Buffer.from(row.body).toString().replace('"headroom":', '"headroom":1'))
    const organ = stored.organs.get(`${row.ns}/${row.chain}`)!
    organ[row.seq] = { ...row, body }
    stored.rows[row.nodeIndex] = organ[row.seq]!
    return at
  },
  forgetting(stored, chain, at) {
    const state = stateOf(stored, chain[at]!)
    stored.put({ ...state, value: JSON.stringify({ ...JSON.parse(state.value), shingles: ['x'] }) })
    return at
  },
  relisting(stored, chain, at) {
    const state = stateOf(stored, chain[at]!)
    stored.put({ ...state, state: state.state === 'deny' ? 'allow' : 'deny' })
    return at
  },
  granting(stored, chain, at) {
    return head(stored, chain, at, (session) => ({ ...session, granted: session.granted + 1 }))
  },
  settling(stored, chain, at) {
    return head(stored, chain, at, (session) => ({ ...session, settled: { ...session.settled, 0: 'allow' } }))
  },
  exporting(stored, chain, at) {
    return effect(stored, chain, at, (one) => ({ ...one, state: 'EXPORTED', sink: null }))
  },
  postponing(stored, chain, at) {
    return effect(stored, chain, at, (one) => ({ ...one, state: 'PENDING', due_at: Number.MAX_SAFE_INTEGER }))
  },
  /** The receipt and all that came of it: the place it had stays empty. */
  removing(stored, chain, at) {
    const row = chain[at]!
    const organ = `${row.ns}/${row.chain}`
    stored.spaces.get(SPACE)!.delete(stateOf(stored, row).key)
    stored.organs.set(organ, chain.toSpliced(at, 1))
    return at
  },
  relinking(stored, chain, at) {
    const row = { ...chain[at]!, prev: 'ab'.repeat(32) }
    stored.organs.set(`${row.ns}/${row.chain}`, chain.toSpliced(at, 1, row))
    stored.rows[row.nodeIndex] = row
    return at
  },
  deepening(stored, chain) {
    const { ns, chain: name } = chain[0]!
    const end = stored.chains.get(`${ns}/${name}`)!
    stored.chains.set(`${ns}/${name}`, { ...end, depth: end.depth + 1 })
    return chain.length
  },
}

const payloadOf = (row: Row): { session: string; step: number } => JSON.parse(Buffer.from(row.body).toString()).payload

/** What is wrong with a head shows once all records were walked. */
function head(stored: Stored, chain: readonly Row[], at: number, edit: (session: StoredSession) => object): number {
  const place = { space: 'gdw.session', key: payloadOf(chain[at]!).session }
  const session = stored.documentAt(place) as DocumentRow
  stored.put({ ...session, value: JSON.stringify(edit(JSON.parse(session.value))) })
  return chain.length
}

/** Of the proof that every step exports. */
function effect(stored: Stored, chain: readonly Row[], at: number, edit: (effect: StoredEffect) => object): number {
  const row = chain[at]!
  const { session, step } = payloadOf(row)
  const place = { space: `gdw.effect/${row.ns}`, key: documentKey(session, String(step), 'proof_export') }
  const found = stored.documentAt(place) as DocumentRow
  stored.put({ ...found, value: JSON.stringify(edit(JSON.parse(found.value))) })
  return at
}

/** Null where there is not enough to be spoiled. */
export function spoil(stored: Stored, way: string, random: Random): number | null {
  const chains = [...stored.organs].filter(([organ, rows]) => organ.endsWith('/gdw') && rows.length > 1)
  if (chains.length === 0) return null
  const [, chain] = random.pick(chains)
  const at = random.below(chain.length)
  const other = (at + 1 + random.below(chain.length - 1)) % chain.length
  return SPOILS[way]!(stored, chain, at, other)
}
