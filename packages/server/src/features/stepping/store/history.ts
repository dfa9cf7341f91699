/** What a session remembers, from the store and kept between steps. Kept history is only ever trusted as far as the hash
 *  of its head is the one that is stored now. */
import { replays, sha256Hex } from '@orch/core'
import { LRUCache } from 'lru-cache'
import type { CheckReceipt, LedgerReader } from '../../../ledger/contract.ts'
import type { StoredSession, StoredState } from '../contract.ts'
import { NOVELTY_STEPS } from '../experts/novelty.ts'
import type { SessionBudget } from '../rules/budget.ts'
import type { RememberedStep } from '../rules/history.ts'
import { FIRST_PREV, stateHash } from '../rules/state.ts'
import {
  nameOf,
  type SessionDocument,
  type SessionPlace,
  STATE_SPACE,
  type StateDocument,
  stateOwner,
  toStateDocument,
} from './session-documents.ts'
import { chainBroken, eventOf, type ProvenHead, provenHead, type SessionEvent } from './session-events.ts'

interface CachedHistory extends SessionBudget {
  step: number
  stateHash: string
  /** The latest, oldest first. */
  steps: readonly RememberedStep[]
}

export interface History {
  /** Oldest first, as they stand now. */
  steps: RememberedStep[]
  /** Digest of the receipt of the newest step; 64 zeros before the first. */
  lastReceipt: string
  /** Digest of the receipt that changed the head last: the same, or that of a verdict since. */
  lastEvent: string
  /** What the newest step says of the key its words were hashed with; null before the first. */
  wordKey: string | null
}

const PAGE = 250
/** Of what is remembered of all sessions together, about; the session used last is kept however much it remembers. */
const MAX_BYTES = 6 * 1024 * 1024
/** Three digests and what holds them. */
const BYTES_OF_A_STEP = 512
/** A hash of sixteen letters and its place. */
const BYTES_OF_A_WORD = 40
const BEYOND = 'f'.repeat(64)
const EMPTY: CachedHistory = { step: 0, stateHash: FIRST_PREV, spent: 0, budget: 0, granted: 0, steps: [] }

export class Histories {
  private readonly reader: LedgerReader
  private readonly check: CheckReceipt
  private readonly cache = new LRUCache<string, CachedHistory>({ maxSize: MAX_BYTES, sizeCalculation: bytesOf })

  constructor(reader: LedgerReader, check: CheckReceipt) {
    this.reader = reader
    this.check = check
  }

  async of(place: SessionPlace, stored: SessionDocument): Promise<History> {
    const { session } = stored
    const proven = await provenHead(this.reader, this.check, place, stored)
    const key = nameOf(place)
    const known = this.cache.get(key)
    const history = isHead(known, session) ? known : await this.read(place, session, known ?? EMPTY)
    if (!matchesHead(history, session, proven)) throw chainBroken()
    this.cache.set(key, history)
    const steps = history.steps.map((step) => ({ ...step, verdict: session.settled[step.step] ?? step.verdict }))
    const wordKey = String(proven.step.reported.word_key)
    return { steps, lastReceipt: proven.step.row.digest, lastEvent: proven.event, wordKey }
  }

  /** A step of this process, once it is recorded: the next one of its session need not read it back. It counts like what
   *  was read, only while the stored head and the receipt behind it name it. */
  extend(place: SessionPlace, state: StoredState, receipt: string): void {
    const { step, prev_state_hash, spent, budget, granted } = state.record
    const key = nameOf(place)
    const known = step === 1 ? EMPTY : this.cache.get(key)
    if (known?.step !== step - 1 || known.stateHash !== prev_state_hash) return
    const steps = [...known.steps, remembered(state, receipt)].slice(-NOVELTY_STEPS)
    this.cache.set(key, { step, stateHash: state.state_hash, spent, budget, granted, steps })
  }

  private async read(place: SessionPlace, session: StoredSession, known: CachedHistory): Promise<CachedHistory> {
    const first = Math.max(0, session.step - NOVELTY_STEPS)
    const from = known.step > first && known.step < session.step ? known : EMPTY
    const rows = await this.rows(place, Math.max(from.step, first), session.step)
    if (!isChain(rows, from, session)) {
      // What was kept may be the wrong half, after a store was restored: the stored steps alone decide.
      if (from === EMPTY) throw chainBroken()
      return this.read(place, session, EMPTY)
    }
    const receipts = await this.receiptsOf(place, rows)
    const added = rows.map(({ state }, at) => remembered(state, receipts[at]!))
    const steps = [...from.steps, ...added].slice(-NOVELTY_STEPS)
    const { spent, budget, granted } = rows.at(-1)!.state.record
    return { step: session.step, stateHash: session.state_hash, spent, budget, granted, steps }
  }

  private async rows(place: SessionPlace, after: number, to: number): Promise<StateDocument[]> {
    const found: StateDocument[] = []
    for (let last = after; last < to; ) {
      const query = { space: STATE_SPACE, owner: stateOwner(place), order: 'asc' as const }
      const page = await this.reader.documents({ ...query, after: { rank: last, key: BEYOND }, upTo: to, limit: PAGE })
      found.push(...page.map(toStateDocument))
      if (page.length < PAGE) break
      last = page.at(-1)!.rank
    }
    return found
  }

  /** Digests of the receipts that bear out these steps. Each receipt names the one before, and the newest one of the
   *  session was verified: what they say needs no other signature. */
  private async receiptsOf(place: SessionPlace, rows: readonly StateDocument[]): Promise<string[]> {
    const found: string[] = []
    for (let at = 0; at < rows.length; at += PAGE) {
      const page = rows.slice(at, at + PAGE)
      const events = await Promise.all(page.map(({ row }) => eventOf(this.reader, row)))
      for (const [n, event] of events.entries()) {
        if (!event || !matchesReceipt(event, place, page[n]!, found.at(-1))) throw chainBroken()
        found.push(event.row.digest)
      }
    }
    return found
  }
}

/** Never more than all may have together. */
function bytesOf({ steps }: CachedHistory): number {
  const bytes = steps.reduce((sum, { shingles, words, asked, forbidden }) => {
    const hashes = shingles.length + words.length + asked.length + forbidden.length
    return sum + BYTES_OF_A_STEP + hashes * BYTES_OF_A_WORD
  }, BYTES_OF_A_STEP)
  return Math.min(MAX_BYTES, bytes)
}

const isHead = (known: CachedHistory | undefined, { step, state_hash }: StoredSession): known is CachedHistory =>
  known?.step === step && known.stateHash === state_hash

/** The head says what the newest record says; in between come the grants that verdicts gave, and nothing else. */
const matchesHead = (
  cache: CachedHistory,
  { spent, budget, granted, state_hash }: StoredSession,
  proven: ProvenHead,
): boolean =>
  spent === cache.spent &&
  budget === cache.budget &&
  granted === cache.granted + proven.granted &&
  proven.step.reported.state_hash === state_hash &&
  proven.step.row.digest === cache.steps.at(-1)?.receipt_digest

/** The receipt is that of this very document, all of it, and follows the receipt before. */
const matchesReceipt = (
  event: SessionEvent,
  place: SessionPlace,
  { row, state }: StateDocument,
  before?: string,
): boolean =>
  event.verdict === null &&
  event.session === nameOf(place) &&
  event.reported.step === state.record.step &&
  event.reported.state_document_sha256 === sha256Hex(row.value) &&
  event.reported.session_prev_receipt === (before ?? state.prev_receipt) &&
  replays(event.row.body, event.row.digest)

/** Dense, each naming the one before, each with the hash it says, and ending in the head. */
function isChain(rows: readonly StateDocument[], from: CachedHistory, head: StoredSession): boolean {
  const [first] = rows
  if (first === undefined) return false
  const joins = from.step === 0 || first.state.record.prev_state_hash === from.stateHash
  const linked = rows.every(({ state }, at) => {
    const before = rows[at - 1]?.state
    const follows =
      before === undefined ||
      (state.record.step === before.record.step + 1 && state.record.prev_state_hash === before.state_hash)
    return follows && stateHash(state.record) === state.state_hash
  })
  const last = rows.at(-1)!.state
  return joins && linked && last.record.step === head.step && last.state_hash === head.state_hash
}

function remembered(state: StoredState, receipt_digest: string): RememberedStep {
  const { record, state_hash, shingles, words = [], asked, forbidden } = state
  const { step, decision, request_digest } = record
  return { step, verdict: decision, receipt_digest, state_hash, request_digest, shingles, words, asked, forbidden }
}
