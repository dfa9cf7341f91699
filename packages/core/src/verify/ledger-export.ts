// A whole ledger from a file, line by line in constant memory. The walk runs ahead of the signatures, which are judged
// in batches so that a caller can spread them over threads; whichever fault lies on the earliest line is the one reported.
import { type BreakReason, type ChainBreak, ChainWalker, describeBreak, type WalkReport } from '../chain.ts'
import { parseCheckpoint, parseNote } from '../checkpoint.ts'
import { RECEIPT_PAYLOAD_TYPE } from '../doctrine.ts'
import { pae } from '../dsse.ts'
import { utf8Decode } from '../encoding.ts'
import { parseJsonText } from '../json-text.ts'
import { type PublicKey, verifyP256 } from '../p256.ts'
import type { ReceiptBody } from '../receipt.ts'
import { readBody } from './body.ts'
import { DecisionLinks } from './decision-links.ts'
import { type RestoreFacts, restoreOf } from './decoded.ts'
import { checkLambdaOf } from './lambda.ts'
import { judgeLedger } from './ledger-checks.ts'
import {
  isFooterLine,
  type LedgerExportFooter,
  type LedgerExportHeader,
  type LedgerExportReceipt,
  readFooterLine,
  readHeaderLine,
  readReceiptLine,
} from './ledger-lines.ts'
import { UnsignedReceipts } from './ledger-record.ts'
import { type Check, type VerificationReport, worstOf } from './report.ts'
import type { Trust, TrustedKey } from './trust.ts'

/** Plain data: it crosses a thread boundary as it is. */
export type SignatureJob = { key: PublicKey; message: Uint8Array; signature: Uint8Array }
/** One verdict per job, in order. A rejection is passed on to whoever pushes next: no verdict is no verdict. */
export type VerifySignatures = (jobs: readonly SignatureJob[]) => Promise<readonly boolean[]>

export type LedgerExportOptions = {
  verifySignatures?: VerifySignatures
  batch?: number
  inFlight?: number
  /** A signed checkpoint that the reader has from elsewhere: the export must hold every receipt it covers. */
  checkpoint?: string
}

/** Where the file first goes wrong. Lines count from 1. */
export type LedgerFault = { line: number; sentence: string; broken: ChainBreak | null }

/** `signedKinds`: what the signed bytes call the key, each word once; null where a receipt says nothing of it. */
export type KeyUse = {
  pinned: TrustedKey
  count: number
  earliest: string
  latest: string
  signedKinds: Set<SignedKind>
}
type SignedKind = 'demo' | 'production' | 'something else' | null

export type LedgerFindings = {
  lines: number
  /** The lines end in CR LF, which no export is written with. */
  isCrLf: boolean
  header: LedgerExportHeader | null
  footer: LedgerExportFooter | null
  fault: LedgerFault | null
  walk: WalkReport
  /** The recomputed root at the size the header's checkpoint states, where the walk passed it. */
  rootAtCheckpoint: string | null
  /** The reader's own checkpoint, with the recomputed root at its size. */
  supplied: { checkpoint: string; root: string | null } | null
  signatures: SignatureCounts
  keys: KeyUse[]
  lambda: LambdaFindings
  /** Accepted restores, the first of them and how many there are. */
  restores: { count: number; first: (RestoreFacts & { node_index: number })[] }
}

const MAX_RESTORES_SHOWN = 20

/** `samples` are unsigned by design and count in no other number. */
export type SignatureCounts = {
  verified: number
  unsigned: number
  samples: number
  unknown: number
  firstUnsigned: number | null
}

const NONE_COUNTED: SignatureCounts = { verified: 0, unsigned: 0, samples: 0, unknown: 0, firstUnsigned: null }

/** Of the receipts that carry the inputs of lambda. The walk goes on after a wrong one: the ledger is whole. */
export type LambdaFindings = { checked: number; worst: { line: number; found: Check } | null }

type Refusal = Omit<LedgerFault, 'line'>
const refusal = (sentence: string): Refusal => ({ sentence, broken: null })
const refusalOf = (broken: ChainBreak | null): Refusal | null => broken && { sentence: describeBreak(broken), broken }

/** What is kept of a receipt while its signature is judged: little, because thousands wait. */
type Place = { line: number; node_index: number; chain: string; seq: number }
function breakOf(place: Omit<Place, 'line'>, reason: BreakReason, found: string | null = null): ChainBreak {
  const { node_index: broken_at, chain, seq } = place
  return { broken_at, chain, seq, reason, expected: null, found }
}

export class LedgerExportVerifier {
  private readonly trust: Trust
  private readonly verify: VerifySignatures
  private readonly batch: number
  private readonly inFlight: number
  private readonly walker = new ChainWalker()
  private readonly links = new DecisionLinks()
  private readonly pinned: ReadonlyMap<string, TrustedKey>
  private readonly uses = new Map<string, KeyUse>()
  private readonly signatures: SignatureCounts = { ...NONE_COUNTED }
  private readonly unsigned = new UnsignedReceipts<Place>()
  private readonly lambda: LambdaFindings = { checked: 0, worst: null }
  private readonly restores: LedgerFindings['restores'] = { count: 0, first: [] }
  private lines = 0
  private isCrLf = false
  private header: LedgerExportHeader | null = null
  private footer: LedgerExportFooter | null = null
  private fault: LedgerFault | null = null
  private checkpointSize: number | null = null
  private rootAtCheckpoint: string | null = null
  private readonly supplied: LedgerFindings['supplied']
  private readonly suppliedSize: number | null
  private jobs: SignatureJob[] = []
  private places: Place[] = []
  private running: Promise<void>[] = []
  private failure: unknown = null

  constructor(trust: Trust, options: LedgerExportOptions = {}) {
    this.trust = trust
    this.verify = options.verifySignatures ?? verifyHere
    this.batch = options.batch ?? 256
    this.inFlight = options.inFlight ?? 8
    this.supplied = options.checkpoint === undefined ? null : { checkpoint: options.checkpoint, root: null }
    this.suppliedSize = statedSize(options.checkpoint ?? null)
    this.pinned = new Map(trust.keys.map((one) => [one.key.keyid, one]))
  }

  /** Lines read so far, and the number the header promises. */
  get progress(): { lines: number; size: number | null } {
    return { lines: this.lines, size: this.header?.size ?? null }
  }

  /** One line without its newline. Wait for the promise, where one comes back, before pushing more. */
  push(line: string): Promise<void> | undefined {
    this.lines += 1
    if (this.lines === 1) this.isCrLf = line.endsWith('\r')
    if (this.fault === null) this.refuse(this.take(this.isCrLf && line.endsWith('\r') ? line.slice(0, -1) : line))
    if (this.jobs.length >= this.batch) this.flush()
    return this.running.length > this.inFlight || this.failure !== null ? this.waitForOldest() : undefined
  }

  async finish(): Promise<VerificationReport> {
    if (this.fault === null && this.footer === null)
      this.refuse(refusal('the file ends before its footer line'), this.lines + 1)
    this.flush()
    while (this.running.length > 0) await this.waitForOldest()
    const missing = await this.unsigned.missing(this.header?.record, this.trust.logKeys ?? [])
    if (missing !== null) this.refuse(refusalOf(breakOf(missing, 'signature_missing')), missing.line)
    return judgeLedger(this.findings(), this.trust)
  }

  private take(line: string): Refusal | null {
    if (this.lines === 1) return this.takeHeader(line)
    if (this.footer !== null) return refusal('something follows the footer line')
    if (isFooterLine(line)) return this.takeFooter(line)
    const receipt = readReceiptLine(line)
    return receipt ? this.takeReceipt(receipt) : refusal('the line is not a receipt line in its one spelling')
  }

  private takeHeader(line: string): Refusal | null {
    this.header = readHeaderLine(line)
    if (!this.header) return refusal('the first line is not the header of a ledger export')
    this.unsigned.begin(this.header.record)
    this.checkpointSize = statedSize(this.header.checkpoint)
    return null
  }

  private takeFooter(line: string): Refusal | null {
    this.footer = readFooterLine(line)
    if (!this.footer) return refusal('the last line is not the footer of a ledger export')
    const { size, root } = this.header!
    if (this.footer.count !== size || this.footer.root !== root) return refusal('footer and header disagree')
    return refusalOf(this.walker.finish({ size, root }).broken)
  }

  private takeReceipt(receipt: LedgerExportReceipt): Refusal | null {
    const { node_index, body, lake } = receipt
    const broken = this.walker.push({ node_index, body, lake })
    if (broken) return refusalOf(broken)
    const unborne = this.links.push(body, this.walker.last!.digest)
    if (unborne !== null) return this.unborne(node_index, unborne)
    if (node_index + 1 === this.checkpointSize) this.rootAtCheckpoint = this.walker.finish().root
    if (this.supplied && node_index + 1 === this.suppliedSize) this.supplied.root = this.walker.finish().root
    this.noteLambda(body)
    if (this.walker.last?.kind === 'restore') this.noteRestore(node_index, body)
    if (receipt.signature === null) this.noteUnsigned(node_index)
    else this.queue(receipt, receipt.signature)
    this.unsigned.signed ||= receipt.signature !== null
    return null
  }

  private unborne(node_index: number, found: string): Refusal {
    const broken = breakOf({ node_index, ...this.walker.last! }, 'not_borne_out', found)
    return { sentence: `${describeBreak(broken)}: ${found}`, broken }
  }

  private noteLambda(body: Uint8Array): void {
    const found = checkLambdaOf(body)
    if (!found) return
    this.lambda.checked += 1
    const worst = this.lambda.worst?.found.status
    if (worst === undefined || (worst !== found.status && worstOf([worst, found.status]) === found.status))
      this.lambda.worst = { line: this.lines, found }
  }

  private noteRestore(node_index: number, body: Uint8Array): void {
    const reading = readBody(body)
    const facts = reading.ok ? restoreOf(reading.body) : null
    if (facts === null) return
    this.restores.count += 1
    if (this.restores.first.length < MAX_RESTORES_SHOWN) this.restores.first.push({ node_index, ...facts })
  }

  private noteUnsigned(node_index: number): void {
    const { chain, seq, sample } = this.walker.last!
    if (sample) {
      this.signatures.samples += 1
      return
    }
    this.signatures.unsigned += 1
    this.signatures.firstUnsigned ??= node_index
    this.unsigned.take({ line: this.lines, node_index, chain, seq })
  }

  private queue({ node_index, body, keyid }: LedgerExportReceipt, signature: Uint8Array): void {
    const pinned = this.pinned.get(keyid as string)
    if (!pinned) {
      this.signatures.unknown += 1
      return
    }
    const { chain, seq, time } = this.walker.last!
    noteUse(this.uses, pinned, time, signedKindOf(body))
    this.places.push({ line: this.lines, node_index, chain, seq })
    this.jobs.push({ key: pinned.key, message: pae(RECEIPT_PAYLOAD_TYPE, body), signature })
  }

  private flush(): void {
    const { jobs, places } = this
    if (jobs.length === 0) return
    this.jobs = []
    this.places = []
    const settled = this.verify(jobs).then(
      (verdicts) => this.settle(places, verdicts),
      (error: unknown) => {
        this.failure = error ?? new Error('the signature verifier gave up')
      },
    )
    this.running.push(settled)
  }

  private settle(places: readonly Place[], verdicts: readonly boolean[]): void {
    const bad = places.find((_, i) => verdicts[i] !== true)
    if (bad) this.refuse(refusalOf(breakOf(bad, 'signature_invalid')), bad.line)
    else this.signatures.verified += places.length
  }

  private async waitForOldest(): Promise<void> {
    await this.running.shift()
    if (this.failure !== null) throw this.failure
  }

  private refuse(refused: Refusal | null, line = this.lines): void {
    if (refused !== null && (this.fault === null || line < this.fault.line)) this.fault = { line, ...refused }
  }

  private findings(): LedgerFindings {
    const { lines, isCrLf, header, footer, fault, rootAtCheckpoint, supplied, signatures, lambda, restores } = this
    const walk = this.walker.finish()
    const keys = [...this.uses.values()]
    const read = { lines, isCrLf, header, footer, fault, walk, rootAtCheckpoint, supplied }
    return { ...read, signatures, keys, lambda, restores }
  }
}

/** Unverified: it only says where to take the root that the signed one will be compared with. */
function statedSize(checkpoint: string | null): number | null {
  const note = checkpoint === null ? null : parseNote(checkpoint)
  return (note && parseCheckpoint(note.text)?.size) ?? null
}

/** Of bytes that were shown to be a receipt body. Looking for the name costs less than reading every value. */
function signedKindOf(bytes: Uint8Array): SignedKind {
  const text = utf8Decode(bytes)
  if (!text?.includes('"key_kind":')) return null
  const { key_kind: kind = null } = (parseJsonText(text) as unknown as ReceiptBody).payload
  return kind === null || kind === 'demo' || kind === 'production' ? kind : 'something else'
}

function noteUse(uses: Map<string, KeyUse>, pinned: TrustedKey, time: string, kind: SignedKind): void {
  const use = uses.get(pinned.key.keyid)
  if (!use) {
    uses.set(pinned.key.keyid, { pinned, count: 1, earliest: time, latest: time, signedKinds: new Set([kind]) })
    return
  }
  use.signedKinds.add(kind)
  use.count += 1
  if (time < use.earliest) use.earliest = time
  if (time > use.latest) use.latest = time
}

const verifyHere: VerifySignatures = (jobs) =>
  Promise.all(jobs.map(({ key, message, signature }) => verifyP256(key, message, signature)))
