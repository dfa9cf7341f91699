/** What must be stored, worked out from the receipts alone, and held against what is stored after every operation. */
import assert from 'node:assert/strict'
import { canonicalBytes, sha256Hex } from '@orch/core'
import { documentKey } from '../../src/domain/document-key.ts'
import type { StoredEffect, StoredSession, StoredState } from '../../src/features/stepping/contract.ts'
import type { StateRecord } from '../../src/features/stepping/rules/state.ts'
import type { Row } from '../../src/ledger/contract.ts'
import { usedCounters } from './counted.ts'
import type { Database } from './database.ts'
import { EffectMoves } from './effect-moves.ts'
import type { Deliveries } from './sink.ts'
import type { Stored, Transaction } from './stored.ts'

const GENESIS = '0'.repeat(64)
const WHOLE = 1_000_000

interface ModelSession {
  step: number
  hash: string
  receipt: string
  spent: number
  budget: number
  granted: number
}

interface Payload {
  session: string
  step: number
  decision: string
  state_hash: string
  session_prev_receipt: string
  review_id: string | null
  approved_by: string | null
  state_after?: string
}

const KINDS: Record<string, StoredEffect['kind'][]> = {
  allow: ['receipt_projection', 'proof_export'],
  review: ['proof_export', 'review_notice'],
  deny: ['proof_export'],
}

export class Model {
  private readonly stored: Stored
  private readonly deliveries: Deliveries
  private readonly moves = new EffectMoves()
  private readonly faults: string[] = []
  private seen = 0
  readonly sessions = new Map<string, ModelSession>()
  /** The text of every state as it was first stored. */
  private readonly states = new Map<string, string>()
  /** Keys of the effects that recorded decisions imply. */
  readonly effects = new Set<string>()
  /** By id of the request: what was recorded under it. */
  readonly recorded = new Map<string, Row>()
  /** Reviews whose approval a step has used. */
  private readonly used = new Set<string>()
  private readonly responses = new Map<string, string>()

  constructor(database: Database, deliveries: Deliveries) {
    this.stored = database.stored
    this.deliveries = deliveries
    database.watch = ({ name }, transaction) => this.committing(name, transaction)
    deliveries.watch = (id, text) => this.arriving(id, text)
  }

  /** One response for each key, byte for byte. */
  answered(key: string, body: string): void {
    const first = this.responses.get(key) ?? body
    this.responses.set(key, first)
    assert.equal(body, first, `the key ${key} has two answers`)
  }

  /** What was acknowledged is there. */
  acknowledged(requestId: string, answer: { step: number; state_hash: string; receipt: { digest: string } }): void {
    this.check()
    const row = this.recorded.get(requestId)
    assert.ok(row, `step ${answer.step} was acknowledged and is not recorded`)
    assert.equal(row.digest, answer.receipt.digest)
    assert.equal(payloadOf(row).state_hash, answer.state_hash)
  }

  check(): void {
    assert.equal(this.faults.join('; '), '', this.faults.join('; '))
    for (const row of this.stored.rows.slice(this.seen)) this.absorb(row)
    this.seen = this.stored.rows.length
    this.checkStates()
    for (const [name, session] of this.sessions) this.checkHead(name, session)
    this.checkEffects()
    assert.equal(this.faults.join('; '), '', this.faults.join('; '))
  }

  private committing(machine: string, { batch, documents }: Transaction): void {
    for (const change of [...(batch?.documents ?? []), ...documents]) {
      const before = this.stored.documentAt(change)
      if (change.space === 'gdw.state' && (before !== null || change.nodeIndex === null))
        this.faults.push('a state was changed, or stored without its receipt')
      if (!change.space.startsWith('gdw.effect/')) continue
      const fault = this.moves.fault(machine, before, change, (id) => this.deliveries.arrived.has(id))
      if (fault !== null) this.faults.push(`effect ${change.key.slice(0, 8)}: ${fault}`)
    }
  }

  /** The sink gets what recorded decisions imply, the same bytes every time. */
  private arriving(id: string, text: string): void {
    const { effect_id, namespace, owner_id, session_id, step, kind, payload } = JSON.parse(text)
    const payload_sha256 = sha256Hex(canonicalBytes(payload))
    const own = sha256Hex(canonicalBytes({ namespace, owner_id, session_id, step, kind, payload_sha256 }))
    const session = sessionName(namespace, owner_id, session_id)
    const key = documentKey(session, String(step), kind)
    const durable = this.stored.documentAt({ space: `gdw.effect/${namespace}`, key })
    const known = this.deliveries.arrived.get(id)
    if (id !== own || effect_id !== id) this.faults.push('an effect left under an id that is not its own')
    if (durable === null) this.faults.push('an effect left that no recorded decision implies')
    if (known !== undefined && known !== text) this.faults.push('two contents left under one id')
    const state = this.stored.documentAt({ space: 'gdw.state', key: documentKey(session, String(step)) })
    if (payload.receipt_digest !== this.stored.rows[state?.nodeIndex ?? -1]?.digest)
      this.faults.push('an effect names another receipt than its step has')
  }

  private absorb(row: Row): void {
    assert.equal(sha256Hex(row.body), row.digest, `receipt ${row.nodeIndex} is not what its digest says`)
    const before = this.stored.organs.get(`${row.ns}/${row.chain}`)![row.seq - 1]
    assert.equal(row.prev, before?.digest ?? GENESIS, `receipt ${row.nodeIndex} follows another one`)
    if (row.chain === 'gdw') this.absorbStep(row)
    if (row.chain === 'governance') this.absorbVerdict(row)
  }

  private absorbStep(row: Row): void {
    const { request_id, payload } = bodyOf(row)
    const key = documentKey(payload.session, String(payload.step))
    const document = this.stored.documentAt({ space: 'gdw.state', key })
    assert.equal(document?.nodeIndex, row.nodeIndex, `step ${payload.step} has no state of its own`)
    const { record, state_hash } = JSON.parse(document.value!) as StoredState
    const before = this.sessions.get(payload.session)
    this.sessions.set(payload.session, follow(before, record, payload, row.digest))
    assert.equal(sha256Hex(canonicalBytes(record)), state_hash)
    assert.equal(payload.state_hash, state_hash)
    assert.equal(payload.decision.toLowerCase(), record.decision)
    assert.equal(sessionName(record.namespace, record.owner_id, record.session_id), payload.session)
    this.states.set(key, document.value!)
    for (const kind of KINDS[record.decision]!)
      this.effects.add(documentKey(payload.session, String(record.step), kind))
    if (payload.approved_by !== null) this.use(payload.approved_by)
    assert.ok(!this.recorded.has(request_id), `the request ${request_id} was decided twice`)
    this.recorded.set(request_id, row)
  }

  /** An approval is used once, in the commit of the step it lifts. */
  private use(reviewId: string): void {
    assert.ok(!this.used.has(reviewId), 'an approval was used twice')
    this.used.add(reviewId)
    const review = this.stored.documentAt({ space: 'review', key: documentKey(reviewId) })
    assert.equal(review?.state, 'consumed', 'an approval was used and is still there')
  }

  /** An approval grants exactly what was missing at that moment. */
  private absorbVerdict(row: Row): void {
    const { review_id, state_after } = payloadOf(row)
    if (state_after !== 'approved') return
    const key = documentKey(review_id!)
    const review = JSON.parse(this.stored.documentAt({ space: 'review', key })!.value!)
    const session = this.sessions.get(sessionName(review.namespace, review.requested_by.owner, review.step.session_id))!
    const missing = Math.round(review.step.estimate * WHOLE) - (session.budget + session.granted - session.spent)
    session.granted += Math.max(0, missing)
    assert.ok(session.budget + session.granted <= WHOLE, 'more than the whole of risk was granted')
  }

  private checkStates(): void {
    const stored = this.stored.spaces.get('gdw.state')
    assert.equal(stored?.size ?? 0, this.states.size, 'states are as many as decisions')
    for (const [key, text] of this.states) assert.equal(stored!.get(key)!.value, text, 'a state was changed')
  }

  private checkHead(name: string, { step, hash, spent, budget, granted }: ModelSession): void {
    const head = JSON.parse(this.stored.documentAt({ space: 'gdw.session', key: name })!.value!) as StoredSession
    const shown = [head.step, head.state_hash, head.spent, head.budget, head.granted]
    assert.deepEqual(shown, [step, hash, spent, budget, granted], 'the head of a session is not what its steps say')
    assert.ok(spent >= 0 && spent <= budget + granted)
  }

  private checkEffects(): void {
    const spaces = [...this.stored.spaces].filter(([space]) => space.startsWith('gdw.effect/'))
    const keys = spaces.flatMap(([, documents]) => [...documents.keys()])
    assert.equal(keys.length, this.effects.size, 'effects are as many as decisions imply')
    for (const key of keys) assert.ok(this.effects.has(key), 'an effect that no decision implies')
    const rows = spaces.flatMap(([, documents]) => [...documents.values()])
    const open = rows.filter(({ state }) => state !== 'EXPORTED').length
    assert.deepEqual(
      usedCounters(this.stored),
      { steps: this.states.size, effects: open, exported: rows.length - open, reviews: this.pendingReviews() },
      'the counters say what is there',
    )
  }

  private pendingReviews(): number {
    return [...(this.stored.spaces.get('review')?.values() ?? [])].filter(({ state }) => state === 'pending').length
  }
}

function follow(before: ModelSession | undefined, record: StateRecord, payload: Payload, digest: string): ModelSession {
  const was = before ?? { step: 0, hash: GENESIS, receipt: GENESIS, spent: 0, budget: record.budget, granted: 0 }
  const { step, prev_state_hash, decision, estimate, spent, budget, granted } = record
  assert.equal(step, was.step + 1, 'steps are dense')
  assert.equal(prev_state_hash, was.hash, 'states are linked')
  assert.equal(payload.session_prev_receipt, was.receipt, 'receipts of a session are linked')
  assert.equal(spent, was.spent + (decision === 'allow' ? estimate : 0), 'only what is allowed is spent')
  assert.ok(budget <= was.budget && granted === was.granted && estimate >= 0, 'a budget is never raised by its owner')
  return { step, hash: payload.state_hash, receipt: digest, spent, budget, granted }
}

export const sessionName = (namespace: string, owner: string, session: string): string =>
  sha256Hex([namespace, owner, session].join('\u001f'))

const bodyOf = (row: Row): { request_id: string; payload: Payload } => JSON.parse(Buffer.from(row.body).toString())
const payloadOf = (row: Row): Payload => bodyOf(row).payload
