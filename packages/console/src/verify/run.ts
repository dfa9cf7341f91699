// Hands the evidence to the verifier in pieces that keep the page alive. The judgement is the verifier's alone; what is
// decided here is only what is too large to be judged in one piece, and that is said to be open and never bad.
import {
  CHECKS,
  check,
  LedgerExportVerifier,
  makeReport,
  type Trust,
  type VerificationReport,
  verifyAny,
} from '@orch/core'
import { type Evidence, LineCutter, NotUtf8, PIECE, piecesOf, sizeOfEvidence } from './evidence.ts'
import { ledgerHeaderLine, type Recognised, recogniseLedger, recogniseText } from './recognise.ts'

// The page has one thread and its policy allows no second one, so long work is cut into slices between which the
// browser paints and answers. A message is used to come back because timers are held up in hidden tabs.
const SLICE_MS = 24
/** Characters: what a slice takes on at most, also where the clock of the page is coarse or stands still. */
export const SLICE_CHARS = 1 << 18

const { port1, port2 } = new MessageChannel()
const waiting: (() => void)[] = []
port1.onmessage = () => waiting.shift()?.()

const nextTask = (): Promise<void> =>
  new Promise((resume) => {
    waiting.push(resume)
    port2.postMessage(null)
  })

class Slices {
  private started = performance.now()
  private chars = 0
  private readonly signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  /** Whether the slice is over now that this much more has been worked on. */
  isOverAfter(chars: number): boolean {
    this.chars += chars
    return this.chars >= SLICE_CHARS || performance.now() - this.started > SLICE_MS
  }

  /** Throws the signal's reason when the reader cancelled in between. */
  async rest(): Promise<void> {
    await nextTask()
    this.signal.throwIfAborted()
    this.started = performance.now()
    this.chars = 0
  }
}

export const MAX_BYTES = 64 * 1024 * 1024
/** What is parsed in one piece, a document or a line of a ledger, can only be judged in one slice. This is more than any
 *  of these formats holds; the largest is a pack of 200 receipts. */
export const MAX_DOCUMENT = 20 * 1024 * 1024
/** Parsing takes time by the number of values and not by their size. */
export const MAX_VALUES = 250_000

export type Progress = {
  recognised(what: Recognised): void
  done(part: number): void
  signal: AbortSignal
}

export async function verifyEvidence(
  evidence: Evidence,
  trust: Trust,
  progress: Progress,
): Promise<VerificationReport> {
  if (sizeOfEvidence(evidence) > MAX_BYTES) return tooLarge('it is over 64 MB', trust)
  try {
    const first = await piecesOf(evidence).next()
    const header = ledgerHeaderLine(first.done ? '' : first.value, sizeOfEvidence(evidence) <= PIECE)
    if (header === null) return await verifyDocument(evidence, trust, progress)
    progress.recognised(recogniseLedger(header))
    return await verifyLedger(evidence, trust, progress)
  } catch (error) {
    if (!(error instanceof NotUtf8)) throw error
    return verifyAny(new Uint8Array(await (evidence.content as Blob).slice(0, MAX_DOCUMENT).arrayBuffer()), trust)
  }
}

async function verifyLedger(evidence: Evidence, trust: Trust, progress: Progress): Promise<VerificationReport> {
  // Small batches: where a page has no WebCrypto they are verified on this very thread.
  const verifier = new LedgerExportVerifier(trust, { batch: 32, inFlight: 8 })
  const slices = new Slices(progress.signal)
  const cutter = new LineCutter()
  const total = Math.max(1, sizeOfEvidence(evidence))
  let read = 0
  const take = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) {
      const full = verifier.push(line)
      if (full) await full
      read += line.length + 1
      if (!slices.isOverAfter(line.length + 1)) continue
      progress.done(Math.min(1, read / total))
      await slices.rest()
    }
  }
  for await (const piece of piecesOf(evidence)) {
    const lines = cutter.push(piece)
    if (cutter.waiting > MAX_DOCUMENT || lines.some(isTooMuch)) return tooLarge(LONG_LINE, trust)
    await take(lines)
  }
  if (cutter.end().some(isTooMuch)) return tooLarge(LONG_LINE, trust)
  await take(cutter.end())
  return verifier.finish()
}

const LONG_LINE = 'one of its lines is larger than any receipt'
/** Fewer characters than values cannot hold them. */
const isTooMuch = (text: string): boolean =>
  text.length > MAX_DOCUMENT || (text.length > MAX_VALUES && marksIn(text) > MAX_VALUES)

async function verifyDocument(evidence: Evidence, trust: Trust, progress: Progress): Promise<VerificationReport> {
  if (sizeOfEvidence(evidence) > MAX_DOCUMENT)
    return tooLarge('it is no ledger export and over 20 MB, more than any other format holds', trust)
  const slices = new Slices(progress.signal)
  const pieces: string[] = []
  let values = 0
  for await (const piece of piecesOf(evidence)) {
    pieces.push(piece)
    values += marksIn(piece)
    if (slices.isOverAfter(piece.length)) await slices.rest()
  }
  if (values > MAX_VALUES) return tooLarge('it holds more values than any of these formats', trust)
  const text = pieces.join('')
  progress.recognised(recogniseText(text))
  await slices.rest()
  return verifyAny(text, trust)
}

/** Commas, colons and opening brackets: at least as many as there are values, wherever they stand. */
function marksIn(text: string): number {
  let marks = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x2c || code === 0x3a || code === 0x5b || code === 0x7b) marks += 1
  }
  return marks
}

function tooLarge(why: string, trust: Trust): VerificationReport {
  const reason = `not judged on this page: ${why}; the command line reads files of any size`
  return makeReport(
    'unknown',
    CHECKS.map((name) => check(name, 'UNAVAILABLE', reason)),
    null,
    trust.checkedAt,
  )
}
