/** Every break that a walk, a verification or a look-up of this process has found. Each walk is told of all of them, so
 *  that no surface speaks of a chain as whole because it asked another walk. A break stays known until the service starts
 *  again, also where somebody has put the old bytes back. */
import { organOf, replays } from '@orch/core'
import type { AuditBreak, AuditReport, LedgerReader, LedgerState, Row } from '../contract.ts'
import { type AuditWalk, isEarlier, NOWHERE } from './walk.ts'

export class KnownBreaks {
  /** The earliest break of each chain, and of what belongs to no chain: as many as there are chains, and one. */
  private readonly byOrgan = new Map<string | null, AuditBreak>()
  private readonly onFirst: (broken: AuditBreak) => void

  constructor(onFirst: (broken: AuditBreak) => void = () => undefined) {
    this.onFirst = onFirst
  }

  add(broken: AuditBreak): void {
    const known = this.byOrgan.get(broken.organ)
    const isFirst = this.byOrgan.size === 0
    if (known === undefined || isEarlier(broken, known)) this.byOrgan.set(broken.organ, broken)
    if (isFirst) this.onFirst(broken)
  }

  /** Learns what the walk found and condemns it for what others found. */
  share(walk: AuditWalk): void {
    if (walk.first !== null) for (const broken of [walk.first, ...walk.broken.values()]) this.add(broken)
    for (const broken of this.byOrgan.values()) walk.condemn(broken)
  }
}

/** The reader as everything but the walks uses it: a receipt whose bytes are not those of its digest is known as a break
 *  before it is handed on. Whoever asks for it decides whether it may still be shown. */
export const noticingBreaks = (reader: LedgerReader, known: KnownBreaks): LedgerReader =>
  changingRows(reader, async (rows) => {
    for (const row of rows) if (!replays(row.body, row.digest)) known.add(alteredReceipt(row))
    return rows
  })

/** The reader with every receipt that it gives passed through `change`. */
export function changingRows(reader: LedgerReader, change: (rows: Row[]) => Promise<Row[]>): LedgerReader {
  const one = async (row: Row | null) => (row === null ? null : (await change([row]))[0]!)
  return {
    ...reader,
    byIndex: async (index) => one(await reader.byIndex(index)),
    byDigest: async (digest) => one(await reader.byDigest(digest)),
    bySeq: async (ns, chain, seq) => one(await reader.bySeq(ns, chain, seq)),
    range: async (from, limit) => change(await reader.range(from, limit)),
    chainRange: async (ns, chain, fromSeq, limit) => change(await reader.chainRange(ns, chain, fromSeq, limit)),
  }
}

const alteredReceipt = ({ nodeIndex, ns, chain, seq }: Row): AuditBreak => ({
  node_index: nodeIndex,
  organ: organOf(ns, chain),
  seq,
  reason: 'digest_mismatch',
  sentence: `the receipt at index ${nodeIndex} is not the bytes of its digest`,
})

type Report = Pick<AuditReport, 'verified_to' | 'broken'> & Partial<Pick<AuditReport, 'chains'>>

/** No report speaks of a ledger as whole that is known to be broken. While no walk has found the place, none of its
 *  chains counts as intact. */
export function withKnownBreak<T extends Report>({ broken, readOnly }: LedgerState, report: T): T {
  if (!broken || report.broken !== null) return report
  const reason = readOnly ?? 'the ledger is broken'
  const chains = report.chains?.map((chain) => ({ ...chain, links_intact: false, reason, verified_to: 0 }))
  return {
    ...report,
    ...(chains === undefined ? {} : { chains }),
    verified_to: 0,
    broken: { ...NOWHERE, reason: 'known_break', sentence: reason },
  }
}
