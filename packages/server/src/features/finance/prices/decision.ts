/** Whether the newest print may be shown as a price. There are two answers, and nothing here authorises an order. */
import Big from 'big.js'
import { flags } from '../../../domain/observation.ts'
import type { DsseEnvelope } from '../../../domain/wire.ts'
import { basisPoints, type Estimate } from './estimate.ts'
import { type Attempt, MAX_AHEAD_MS, PRINT_TTL_MS, type Print, type PublisherMode } from './publisher.ts'
import type { DecisionReason, PriceEstimate, PriceSymbol, SignedPrice, ThirdParty } from './schemas.ts'

/** What was found out about the stored receipt of a print, in this request. */
export interface PrintCheck {
  signature: 'VERIFIED' | 'INVALID' | 'UNSIGNED'
  /** The stored bytes have the digest of the print and say what is remembered of it. */
  digest: 'MATCHES' | 'MISMATCH'
  keyid: string | null
  keyKind: string | null
  dsse: DsseEnvelope | null
}

interface Facts {
  symbol: PriceSymbol
  mode: PublisherMode
  maxDispersionBps: number
  print: Print | null
  attempt: Attempt | null
  check: PrintCheck | null
  isSignerAvailable: boolean
  /** When the request began: what was read before is not live for it. */
  begun: number
  now: number
  thirdParty: ThirdParty
}

export function decidePrice(facts: Facts): SignedPrice {
  const { symbol, print, attempt, check, begun, now, thirdParty } = facts
  const reasons = decisionReasons(facts)
  const isReview = reasons.length === 0
  const newest = isAbstention(attempt) ? attempt.estimate : (print?.estimate ?? null)
  const price = isReview ? (print?.estimate.price ?? null) : null
  const estimate = newest === null ? null : toEstimate(newest, facts.maxDispersionBps, begun, isReview)
  return {
    schema: 'orch.finance.signed-price/v1',
    ...{ symbol, quote: 'USD', state: isReview ? 'REVIEW' : 'ABSTAIN', label: isReview ? 'MODELED' : 'UNAVAILABLE' },
    ...{ mode: modeOf(estimate), price, estimate },
    print: print === null ? null : toPrint(print, check, now),
    verification: {
      signature: check?.signature ?? 'NOT_CHECKED',
      digest: check?.digest ?? 'NOT_CHECKED',
      fresh: print !== null && ageFault(print, now) === null,
      keyid: check?.keyid ?? null,
      key_kind: check?.keyKind ?? null,
      reasons: verificationReasons(check),
    },
    decision_reasons: reasons,
    third_party: { ...thirdParty, difference_bps: differenceBps(thirdParty.price, price) },
    publisher: facts.mode,
    served_at: new Date(now).toISOString(),
    note: NOTE,
    can_authorize: false,
    ...flags,
  }
}

const NOTE =
  'A print is taken and signed by a background publisher and never by this request. It covers midpoints of public tickers and is neither a quote nor an order.'

/** An attempt that made no print is newer than any print and speaks before it: what is known now counts. */
const isAbstention = (attempt: Attempt | null): attempt is Attempt => attempt !== null && attempt.reasons.length > 0

function decisionReasons({ mode, print, attempt, check, isSignerAvailable, now }: Facts): DecisionReason[] {
  if (mode === 'off') return ['PUBLISHER_OFF']
  if (isAbstention(attempt)) return attempt.reasons
  if (print === null || check === null) return ['NO_PRINT_YET']
  const age = ageFault(print, now)
  return [
    ...(age === null ? [] : [age]),
    ...(check.signature === 'UNSIGNED' ? (['UNSIGNED_PRINT'] as const) : []),
    ...(isSignerAvailable ? [] : (['SIGNER_UNAVAILABLE'] as const)),
    ...(check.signature === 'INVALID' || check.digest === 'MISMATCH' ? (['SIGNATURE_INVALID'] as const) : []),
  ]
}

export function ageFault(
  { observedAt }: Pick<Print, 'observedAt'>,
  now: number,
): 'STALE_PRINT' | 'FUTURE_PRINT' | null {
  if (now - observedAt > PRINT_TTL_MS) return 'STALE_PRINT'
  return observedAt - now > MAX_AHEAD_MS ? 'FUTURE_PRINT' : null
}

/** An estimate that is not printed shows what the venues said and no price. */
const toEstimate = (
  { venues, ...estimate }: Estimate,
  maxDispersionBps: number,
  begun: number,
  isReview: boolean,
): PriceEstimate => ({
  ...estimate,
  price: isReview ? estimate.price : null,
  interval: isReview ? estimate.interval : null,
  max_dispersion_bps: maxDispersionBps,
  venues: venues.map((venue) => ({ ...venue, label: labelOf(venue.fetched_at, begun) })),
})

function labelOf(fetchedAt: string | null, begun: number): 'LIVE' | 'SAMPLE' | 'UNAVAILABLE' {
  if (fetchedAt === null) return 'UNAVAILABLE'
  return Date.parse(fetchedAt) >= begun ? 'LIVE' : 'SAMPLE'
}

/** As weak as the weakest of the readings that took part. */
function modeOf(estimate: PriceEstimate | null): SignedPrice['mode'] {
  const labels = (estimate?.venues ?? []).map(({ label }) => label).filter((label) => label !== 'UNAVAILABLE')
  if (labels.length === 0) return 'unreachable'
  return labels.includes('SAMPLE') ? 'cached' : 'live'
}

const toPrint = ({ receiptId, observedAt }: Print, check: PrintCheck | null, now: number) => ({
  receipt_id: receiptId,
  observed_at: new Date(observedAt).toISOString(),
  expires_at: new Date(observedAt + PRINT_TTL_MS).toISOString(),
  age_seconds: (now - observedAt) / 1000,
  dsse: check?.dsse ?? null,
})

const verificationReasons = (check: PrintCheck | null): string[] => [
  ...(check === null ? ['there is no print to verify'] : []),
  ...(check?.digest === 'MISMATCH' ? ['the stored receipt is not the print that is remembered'] : []),
  ...(check?.signature === 'INVALID' ? ['the signature of the stored receipt does not hold'] : []),
  ...(check?.signature === 'UNSIGNED' ? ['no key signed the print'] : []),
  ...(check?.keyKind === 'demo' ? ['the key is a demo key: it proves integrity and no origin'] : []),
]

/** How far the other print lies from ours, with its sign; null where either is missing. */
function differenceBps(theirs: string | null, ours: string | null): string | null {
  return theirs === null || ours === null ? null : basisPoints(new Big(theirs).minus(ours), new Big(ours))
}
