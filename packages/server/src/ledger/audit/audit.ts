/** The integrity audit: the whole ledger is walked from genesis, signatures included, followed as it grows and walked
 *  again, so what is reported was recomputed and never asserted. Runs in the reading thread, behind everything else. */

import { setTimeout as rest, setImmediate as turnOfLoop } from 'node:timers/promises'
import type { LedgerRecord, SessionCharge } from '@orch/core'
import { singleFlight } from '../../platform/single-flight.ts'
import type { AuditBreak, AuditReport, LedgerReader, NewestWalk } from '../contract.ts'
import { KnownBreaks } from './known-breaks.ts'
import { AuditRing } from './own-record.ts'
import { compareStoredHeads, readStoredHeads, toAuditReport, toFigures } from './stored-heads.ts'
import { AuditWalk, walkSlice } from './walk.ts'

type AuditReader = Pick<LedgerReader, 'range' | 'tile' | 'keys' | 'chains' | 'head' | 'bySeq'>

/** What one call may spend on catching up. */
const RETRY_BUDGET_MS = 250
const AWAY_MS = 5_000
const FOLLOW_MS = 5_000
/** Twice an hour, so that each receipt of a ledger that a twentieth of a core can walk in half an hour is walked at least once
 *  in an hour. */
const REWALK_MS = 1_800_000
const MAX_BEHIND_MS = 2 * REWALK_MS
/** The first walk after a start takes half of what the thread has as long as nothing is appended; where something is, and
 *  for every later walk, it is a twentieth of one core. */
const REST_FIRST = 1
const REST_AFTER = 19

interface AuditOptions {
  /** Taken before each slice: look-ups and questions that wait go first. */
  turn?: () => Promise<void>
  /** Hears of every break, whether somebody asked for a report or not. */
  known?: KnownBreaks
  rest?: typeof rest
}

export class LedgerAudit {
  private readonly reader: AuditReader
  private readonly monotonic: () => number
  private readonly turn: () => Promise<void>
  private readonly known: KnownBreaks
  private readonly rest: typeof rest
  private readonly ring: AuditRing
  private readonly begunAt = new WeakMap<AuditWalk, string>()
  private walk: AuditWalk
  /** A second walk from genesis; takes the place of the first when it has come as far, or finds a break. */
  private again: AuditWalk | null = null
  private readonly walkBehind = singleFlight(() => this.walkToHead())
  /** The newest walk that came to the head, with the receipts it had walked by then. */
  private whole: { walk: AuditWalk; at: string; size: number } | null = null
  /** When the ledger was as large as the walk has come. */
  private atHeadAt: number | null = null
  private restedAt = 0
  /** Receipts in the ledger when it last rested. */
  private sizeSeen = 0
  private resting: AbortController | null = null
  /** How many wait for what is walked. */
  private hurried = 0

  /** `record` is what the ledger says of itself, null where the log key did not sign it. */
  constructor(
    reader: AuditReader,
    record: () => Promise<LedgerRecord | null>,
    monotonic: () => number,
    { turn = nextTurn, known = new KnownBreaks(), rest: pause = rest }: AuditOptions = {},
  ) {
    this.reader = reader
    this.ring = new AuditRing(() => reader.keys(), record)
    this.monotonic = monotonic
    this.turn = turn
    this.known = known
    this.rest = pause
    this.walk = this.begin()
  }

  /** When a walk from genesis last came to the head. */
  get fullWalkAt(): string | null {
    return this.whole?.at ?? null
  }

  /** Catches up with the head as far as the time allows and says how far it came. */
  async report(): Promise<AuditReport> {
    const deadline = this.monotonic() + RETRY_BUDGET_MS
    const stored = await readStoredHeads(this.reader)
    const { size } = stored
    const asked = this.monotonic()
    await this.hurry(async () => {
      while (this.walk.at < size && this.monotonic() < deadline) await this.step()
    })
    const { walk } = this
    if (walk.at >= size) compareStoredHeads(walk, stored)
    this.noteHead(size, asked)
    const fault = await this.ring.fault()
    if (fault !== null) walk.condemn(fault)
    this.known.share(walk)
    return toAuditReport(walk, stored, this.fullWalkAt)
  }

  /** What is known without a look at the store. The figures are those of the receipts that the walk had walked when it came
   *  to the head: what it has gone along with since then is in `verified_to` alone. */
  newest(): NewestWalk {
    const { walk, whole, fullWalkAt } = this
    this.known.share(walk)
    const size = whole?.walk === walk ? whole.size : walk.at
    const figures = toFigures(walk, size, this.begunAt.get(walk)!, fullWalkAt)
    const isBehind = this.atHeadAt !== null && this.monotonic() - this.atHeadAt > MAX_BEHIND_MS
    const found = { verified_to: walk.verifiedTo, full_walk_at: fullWalkAt, broken: walk.first }
    return { ...found, walk: figures, is_behind: isBehind }
  }

  /** By the receipts that were walked: whoever holds the store does not reach what this process has seen. */
  charged(ns: string, owner: string, session: string): SessionCharge | null {
    return this.walk.charged(ns, owner, session)
  }

  startOver(): void {
    this.again ??= this.begin()
    this.walkOn()
  }

  /** Walks to the present head behind everything else. */
  walkOn(): void {
    void this.walkBehind()
  }

  /** From now on by itself: to the head, along with it, and over the whole again and again. */
  keepWalking(): void {
    this.walkOn()
    setInterval(() => this.walkOn(), FOLLOW_MS).unref()
    setInterval(() => this.startOver(), REWALK_MS).unref()
  }

  private async walkToHead(): Promise<void> {
    while (!(await this.reachHead())) await rest(AWAY_MS, undefined, { ref: false })
  }

  private async reachHead(): Promise<boolean> {
    try {
      const { size } = await this.reader.head()
      this.sizeSeen = size
      const asked = this.monotonic()
      this.restedAt = asked
      while ((this.again ?? this.walk).at < size) {
        await this.step()
        await this.breathe()
      }
      this.noteHead(size, asked)
      return true
    } catch {
      // The store is away; whoever asks for a report is told so, and the walk goes on when it is back.
      return false
    }
  }

  /** Rests in proportion to the time since it last did, the wait for a turn included: where the thread is busy, the walk
   *  takes less of it. After every few receipts, because a whole slice takes a core for a tenth of a second, which those who
   *  decide would wait for. */
  private async breathe(): Promise<void> {
    const worked = this.monotonic() - this.restedAt
    const { size } = await this.reader.head()
    const factor = this.whole === null && size === this.sizeSeen ? REST_FIRST : REST_AFTER
    this.sizeSeen = size
    await turnOfLoop()
    if (this.hurried === 0) {
      this.resting = new AbortController()
      const { signal } = this.resting
      await this.rest(worked * factor, undefined, { ref: false, signal }).catch(() => undefined)
    }
    this.restedAt = this.monotonic()
  }

  /** While somebody waits for what is walked, there is no rest. */
  private async hurry(work: () => Promise<void>): Promise<void> {
    this.hurried += 1
    this.resting?.abort()
    await work().finally(() => {
      this.hurried -= 1
    })
  }

  /** One slice at a time; whoever comes meanwhile shares it. */
  private readonly step = singleFlight(() => this.slice())

  private async slice(): Promise<void> {
    await this.turn()
    const { again } = this
    // It has waited on an empty ledger.
    if (this.walk.at === 0) this.begunAt.set(this.walk, this.now())
    const signatures = () => this.ring.signatures(0)
    await walkSlice(this.reader, this.walk, signatures, () => this.breathe())
    if (again !== null) {
      await walkSlice(this.reader, again, signatures, () => this.breathe())
      const isAsFar = again.at >= this.walk.at
      if (again === this.again && (isAsFar || again.first !== null)) {
        this.walk = again
        this.again = null
        if (isAsFar) this.noteWhole(again.at)
      }
    }
    this.known.share(this.walk)
  }

  /** `at` is when the ledger had this size. */
  private noteHead(size: number, at: number): void {
    if (this.walk.at < size) return
    this.atHeadAt = at
    this.noteWhole(size)
  }

  /** A walk is whole when it first comes to the head; from there on it only goes along. Over no receipts there is none. */
  private noteWhole(size: number): void {
    const { walk } = this
    if (this.whole?.walk === walk || walk.at < size || walk.at === 0) return
    this.whole = { walk, at: this.now(), size: walk.at }
  }

  private begin(): AuditWalk {
    const walk = new AuditWalk()
    this.begunAt.set(walk, this.now())
    return walk
  }

  private now(): string {
    return new Date(performance.timeOrigin + this.monotonic()).toISOString()
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const breakReason = ({ node_index: at, sentence }: AuditBreak): string =>
  at === null ? `the ledger is broken: ${sentence}` : `receipt ${at} is broken: ${sentence}`
