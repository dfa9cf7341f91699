/** Takes prints of prices by a timer of its own and appends each to the ledger, which signs it. Requests leave a mark that a
 *  symbol is read and look at what there is; they reach neither the signer nor the append. */
import { canonicalBytesPortable, type ReceiptDraft, sha256Hex } from '@orch/core'
import type { Static } from 'typebox'
import { DEFAULT_NAMESPACE } from '../../../access.ts'
import { ServiceError } from '../../../errors.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { Ledger, SignerStatus } from '../../../ports.ts'
import { type Estimate, estimatePrice, type VenueQuote } from './estimate.ts'
import { type DecisionReason, PRICE_SYMBOLS, type PriceSymbol, type SavedPrint } from './schemas.ts'

export const PRICE_CHAIN = 'finance.prices'
export const PRINT_INTERVAL_MS = 15_000
export const PRINT_TTL_MS = 30_000
const DEMAND_MS = 120_000
export const MAX_AHEAD_MS = 2_000

export type PublisherMode = 'demand' | 'always' | 'off'

/** A print that the ledger holds. */
export type Print = Static<typeof SavedPrint>

/** The newest attempt to take a print: where it made none, `reasons` says why. */
export interface Attempt {
  estimate: Estimate
  reasons: DecisionReason[]
}

/** What a request may do: mark, look and wait. */
export interface PriceBoard {
  mode: PublisherMode
  maxDispersionBps: number
  /** Somebody reads the symbol now. */
  mark(symbol: PriceSymbol): void
  newest(symbol: PriceSymbol): { print: Print | null; attempt: Attempt | null }
  /** Looks for a print that is newer than what this process knows of the symbol. */
  restore(symbol: PriceSymbol): Promise<void>
  /** Whether an attempt ended so lately that the next one is not to be waited for. */
  isRecent(symbol: PriceSymbol): boolean
  /** Resolves when the next attempt for the symbol has ended, whatever came of it. */
  nextAttempt(symbol: PriceSymbol): Promise<void>
}

/** The newest print of each symbol, wherever it was taken: by this process, by the one before it or by another node. A
 *  store that does not answer has none. */
export interface SavedPrints {
  read(symbol: PriceSymbol): Promise<Print | null>
  write(symbol: PriceSymbol, print: Print): Promise<void>
}

interface Needs {
  clock: Clock
  ledger: Pick<Ledger, 'append'>
  signer: () => SignerStatus
  readVenues(symbol: PriceSymbol): Promise<VenueQuote[]>
  saved: SavedPrints
}

interface Entry {
  markedAt: number
  begunAt: number
  endedAt: number
  print: Print | null
  attempt: Attempt | null
  /** When the newest attempt ended, by the time of day. */
  attemptedAt: number
  waiting: PromiseWithResolvers<void> | null
}

export class PricePublisher implements PriceBoard {
  readonly mode: PublisherMode
  readonly maxDispersionBps: number
  readonly #needs: Needs
  readonly #entries: Readonly<Record<PriceSymbol, Entry>>

  constructor(settings: { mode: PublisherMode; maxDispersionBps: number }, needs: Needs) {
    this.mode = settings.mode
    this.maxDispersionBps = settings.maxDispersionBps
    this.#needs = needs
    const never = Number.NEGATIVE_INFINITY
    const entry = (): Entry => ({
      ...{ markedAt: never, begunAt: never, endedAt: never, attemptedAt: never },
      ...{ print: null, attempt: null, waiting: null },
    })
    this.#entries = { BTC: entry(), ETH: entry(), SOL: entry() }
  }

  mark(symbol: PriceSymbol): void {
    this.#entries[symbol].markedAt = this.#needs.clock.monotonic()
  }

  newest(symbol: PriceSymbol): { print: Print | null; attempt: Attempt | null } {
    const { print, attempt } = this.#entries[symbol]
    return { print, attempt }
  }

  /** It counts as taken here: its receipt is verified by whoever shows it, and the next one is due 15 s later. */
  async restore(symbol: PriceSymbol): Promise<void> {
    const { clock, saved } = this.#needs
    const entry = this.#entries[symbol]
    const print = this.mode === 'off' ? null : await saved.read(symbol)
    if (print === null || !this.#isFit(print)) return
    if (print.observedAt <= Math.max(entry.print?.observedAt ?? 0, entry.attemptedAt)) return
    entry.print = print
    entry.attempt = null
    const age = Math.max(0, clock.now() - print.observedAt)
    entry.begunAt = Math.max(entry.begunAt, clock.monotonic() - age)
  }

  /** Another node may have another bound or another clock. */
  #isFit({ observedAt, estimate: { dispersion_bps } }: Print): boolean {
    const isWithin = dispersion_bps !== null && Number(dispersion_bps) <= this.maxDispersionBps
    return isWithin && observedAt <= this.#needs.clock.now() + MAX_AHEAD_MS
  }

  isRecent(symbol: PriceSymbol): boolean {
    return this.#needs.clock.monotonic() - this.#entries[symbol].endedAt < PRINT_INTERVAL_MS
  }

  nextAttempt(symbol: PriceSymbol): Promise<void> {
    const entry = this.#entries[symbol]
    entry.waiting ??= Promise.withResolvers()
    return entry.waiting.promise
  }

  /** One turn of the timer: at most one symbol, so that the venues are asked no faster than their pace. */
  async turn(): Promise<void> {
    const now = this.#needs.clock.monotonic()
    const due = PRICE_SYMBOLS.filter((symbol) => this.#isDue(this.#entries[symbol], now))
    const [symbol] = due.toSorted((a, b) => compare(this.#entries[a].begunAt, this.#entries[b].begunAt))
    if (symbol === undefined) return
    await this.restore(symbol)
    const entry = this.#entries[symbol]
    if (this.#isDue(entry, now)) await this.#attempt(symbol, now)
    else wake(entry)
  }

  #isDue({ markedAt, begunAt }: Entry, now: number): boolean {
    if (this.mode === 'off' || now - begunAt < PRINT_INTERVAL_MS) return false
    return this.mode === 'always' || now - markedAt <= DEMAND_MS
  }

  async #attempt(symbol: PriceSymbol, now: number): Promise<void> {
    const { clock, readVenues } = this.#needs
    const entry = this.#entries[symbol]
    entry.begunAt = now
    try {
      const { estimate, reasons } = estimatePrice(await readVenues(symbol), this.maxDispersionBps)
      const failed = reasons.length > 0 ? reasons : await this.#print(symbol, estimate)
      entry.attempt = { estimate, reasons: failed }
    } finally {
      entry.endedAt = clock.monotonic()
      entry.attemptedAt = clock.now()
      wake(entry)
    }
  }

  /** Only a print that may be reviewed is appended. */
  async #print(symbol: PriceSymbol, estimate: Estimate): Promise<DecisionReason[]> {
    const { clock, ledger, signer, saved } = this.#needs
    if (!signer().signingAvailable) return ['SIGNER_UNAVAILABLE']
    const observedAt = observedAtOf(estimate)
    try {
      const { digest } = await ledger.append(priceDraft(symbol, estimate, observedAt, clock.now()))
      const print = { receiptId: digest, observedAt, estimate }
      this.#entries[symbol].print = print
      await saved.write(symbol, print)
      return []
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return [error.code === 'signer_unavailable' ? 'SIGNER_UNAVAILABLE' : 'NO_PRINT_YET']
    }
  }
}

/** Whoever waits looks at what there is now. */
function wake(entry: Entry): void {
  entry.waiting?.resolve()
  entry.waiting = null
}

/** Two times before everything are equal; their difference is no number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)

/** A print is as old as the oldest reading it rests on. */
const observedAtOf = ({ venues }: Estimate): number =>
  Math.min(
    ...venues.flatMap(({ kept: isKept, fetched_at }) =>
      isKept && fetched_at !== null ? [Date.parse(fetched_at)] : [],
    ),
  )

const priceDraft = (symbol: PriceSymbol, estimate: Estimate, observedAt: number, now: number): ReceiptDraft => ({
  ...{ ns: DEFAULT_NAMESPACE, chain: PRICE_CHAIN, kind: 'price', policy: null },
  ts_utc: new Date(now).toISOString(),
  request_id: `price-${symbol}-${observedAt}`,
  actor: { owner: 'orch', key_id: null, auth_mode: 'internal' },
  payload: pricePayload(symbol, estimate, observedAt),
})

/** What is signed: the price and its bounds, and the readings behind it by their digest. */
export function pricePayload(symbol: PriceSymbol, estimate: Estimate, observedAt: number): Record<string, unknown> {
  const { venues, ...numbers } = estimate
  const result = {
    ...{ symbol, quote: 'USD', state: 'REVIEW', ...numbers },
    venues_kept: venues.filter(({ kept: isKept }) => isKept).map(({ venue }) => venue),
    observed_at: new Date(observedAt).toISOString(),
    expires_at: new Date(observedAt + PRINT_TTL_MS).toISOString(),
  }
  return {
    ...{ operation: 'finance.pricePublisher', label: 'MODELED', can_authorize: false, ...result },
    payload_sha256: digestOf(result),
    inputs_sha256: digestOf(venues),
  }
}

const digestOf = (value: unknown): string => sha256Hex(canonicalBytesPortable(value))
