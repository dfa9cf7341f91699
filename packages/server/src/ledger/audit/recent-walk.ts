/** A walk made for the requests that ask for one: body digests, links, lake links and the tree of the whole ledger, or of
 *  the newest receipts where it is longer than a request can wait for. Requests in flight share it; afterwards it counts
 *  for a few seconds more, extended to what came meanwhile, with the date it was begun at. */
import { frontierAt, hexEncode, nodesFromTiles, organOf, type WalkState } from '@orch/core'
import { SingleFlight } from '../../platform/single-flight.ts'
import type { LedgerReader, WalkedReport, WalkFigures } from '../contract.ts'
import { readTileOf } from '../tail.ts'
import type { KnownBreaks } from './known-breaks.ts'
import type { AuditRing } from './own-record.ts'
import { compareStoredHeads, readStoredHeads, type StoredHeads, toAuditReport, toFigures } from './stored-heads.ts'
import { AuditWalk, walkSlice } from './walk.ts'

export const MAX_WALKED = 50_000
const KEEP_MS = 10_000
/** Of so many of the newest receipts the signatures are verified as well. */
const MAX_SIGNATURES = 1_000

interface Begun {
  walk: AuditWalk
  /** By the clock that never goes back, and as a date. */
  at: number
  date: string
  /** When it last came to the head, as a date; null before. */
  ended: string | null
  /** Signatures are verified from this index on. */
  verifiedFrom: number
  /** Requests that walk on with it now. */
  inFlight: number
}

interface RecentWalkDeps {
  reader: Pick<LedgerReader, 'range' | 'tile' | 'chains' | 'head' | 'bySeq'>
  ring: AuditRing
  turn: () => Promise<void>
  monotonic: () => number
  fullWalkAt: () => string | null
  known: KnownBreaks
  maxWalked?: number
}

export class RecentWalk {
  private readonly deps: RecentWalkDeps
  private current: Promise<Begun> | null = null
  private begun: Begun | null = null
  private readonly slices = new SingleFlight<null>()
  /** The figures of the newest walk that came to the head; null before the first. */
  newest: WalkFigures | null = null

  constructor(deps: RecentWalkDeps) {
    this.deps = deps
  }

  async report(verifySignatures: boolean): Promise<WalkedReport> {
    const begun = await this.join(verifySignatures)
    begun.inFlight += 1
    try {
      const heads = await readStoredHeads(this.deps.reader)
      while (begun.walk.at < heads.size) {
        await this.step(begun)
        begun.ended = null
      }
      begun.ended ??= this.now()
      compareStoredHeads(begun.walk, heads)
      const fault = await this.deps.ring.fault()
      if (fault !== null) begun.walk.condemn(fault)
      this.deps.known.share(begun.walk)
      return this.finished(begun, heads)
    } finally {
      begun.inFlight -= 1
    }
  }

  private finished({ walk, date, ended }: Begun, heads: StoredHeads): WalkedReport {
    const wholeAt = walk.from === 0 && walk.at > 0 && walk.first === null ? ended : null
    const audited = this.deps.fullWalkAt()
    const fullWalkAt = wholeAt === null || (audited !== null && audited > wholeAt) ? audited : wholeAt
    this.newest = toFigures(walk, walk.at, date, fullWalkAt)
    return { ...toAuditReport(walk, heads, fullWalkAt), walk: this.newest }
  }

  /** The walk in flight, or the newest one while it counts; else one that begins now. */
  private join(verifySignatures: boolean): Promise<Begun> {
    const { begun } = this
    const counts =
      this.current !== null &&
      (begun === null ||
        ((begun.inFlight > 0 || this.deps.monotonic() - begun.at < KEEP_MS) &&
          (begun.verifiedFrom <= begun.walk.from || !verifySignatures)))
    if (!counts) {
      this.begun = null
      this.current = this.begin(verifySignatures)
      this.current.catch(() => {
        this.current = null
      })
    }
    return this.current!
  }

  private async begin(verifySignatures: boolean): Promise<Begun> {
    const at = this.deps.monotonic()
    const date = this.now()
    const { size } = await this.deps.reader.head()
    const verifiedFrom = verifySignatures ? 0 : Math.max(0, size - MAX_SIGNATURES)
    const begun = { walk: await this.start(), at, date, ended: null, verifiedFrom, inFlight: 0 }
    this.begun = begun
    return begun
  }

  private async start(): Promise<AuditWalk> {
    const { reader, maxWalked = MAX_WALKED } = this.deps
    const chains = await reader.chains()
    const { size } = await reader.head()
    if (size <= maxWalked) return new AuditWalk()
    const from = size - maxWalked
    const frontier = await frontierAt(from, nodesFromTiles(from, readTileOf(reader)))
    // Chains that end before the walk begins have no receipt in it: their heads are taken as they are stored.
    const ended = chains.filter(({ headIndex }) => headIndex < from)
    const state: WalkState = {
      size: from,
      frontier: frontier.hashes.map(hexEncode),
      chains: ended.map(({ ns, chain, depth, head, lake }) => ({
        chain: organOf(ns, chain),
        depth,
        head_digest: head,
        lake_head: lake,
      })),
    }
    return new AuditWalk(
      state,
      ended.map(({ ns, chain, headIndex }) => [organOf(ns, chain), headIndex]),
    )
  }

  /** One slice at a time; whoever comes meanwhile shares it. */
  private step(begun: Begun): Promise<void> {
    const { reader, ring, turn } = this.deps
    return this.slices.run(null, async () => {
      await turn()
      // It was begun on an empty ledger.
      if (begun.walk.at === 0) begun.date = this.now()
      await walkSlice(reader, begun.walk, () => ring.signatures(begun.verifiedFrom))
    })
  }

  private now(): string {
    return new Date(performance.timeOrigin + this.deps.monotonic()).toISOString()
  }
}
