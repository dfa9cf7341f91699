/** Signed prices: a publisher with a timer of its own, and a reader that cannot sign. */
import type { Outbound } from '../../adapters/outbound/contract.ts'
import { withDeadline } from '../../platform/deadline.ts'
import type { Ports } from '../../ports.ts'
import { checkPrint, type VerifyingLedger } from './prices/check-print.ts'
import type { Prices } from './prices/contract.ts'
import { decidePrice } from './prices/decision.ts'
import { openPeer, type PeerSettings, type ReadPeer } from './prices/io/peer.ts'
import { savedPrints } from './prices/io/saved-prints.ts'
import { readVenues } from './prices/io/venues.ts'
import { PRINT_INTERVAL_MS, type PriceBoard, PricePublisher, type PublisherMode } from './prices/publisher.ts'
import type { PriceSymbol } from './prices/schemas.ts'

interface PriceSettings {
  mode: PublisherMode
  maxDispersionBps: number
  peer: PeerSettings | null
}

interface Needs extends Pick<Ports, 'clock' | 'ledger' | 'signer' | 'background'> {
  outbound: Pick<Outbound, 'get' | 'cache'>
}

const TURN_MS = 1_000
const MAX_WAIT_MS = 8_000

export function openPrices({ peer, ...settings }: PriceSettings, needs: Needs): { prices: Prices } {
  const { clock, ledger, signer, outbound, background } = needs
  const publisher = new PricePublisher(settings, {
    ...{ clock, ledger, signer },
    readVenues: (symbol) => readVenues(outbound, symbol),
    saved: savedPrints(outbound.cache),
  })
  if (settings.mode !== 'off') background.every('price-publisher', TURN_MS, startedTurns(publisher))
  return {
    prices: priceReader({
      ...{ board: publisher, clock, ledger: readingSide(ledger), readPeer: openPeer(peer, outbound, clock) },
      isSignerAvailable: () => signer().signingAvailable,
    }),
  }
}

/** A turn may take as long as the slowest venue; the timer does not wait for it and tells of its failure the next time. */
function startedTurns(publisher: PricePublisher): () => Promise<void> {
  let running = false
  let failure: { error: unknown } | null = null
  const take = async () => {
    running = true
    try {
      await publisher.turn()
    } catch (error) {
      failure = { error }
    } finally {
      running = false
    }
  }
  return async () => {
    const failed = failure
    failure = null
    if (!running) void take()
    if (failed !== null) throw failed.error
  }
}

/** What of the ledger a request for a price can reach, at run time as well. */
const readingSide = (ledger: Ports['ledger']): VerifyingLedger => ({
  ...{ vkey: ledger.vkey, reader: ledger.reader },
  state: () => ledger.state(),
  reportBreak: (sentence, place) => ledger.reportBreak(sentence, place),
})

interface Reading extends Pick<Ports, 'clock'> {
  board: PriceBoard
  ledger: VerifyingLedger
  readPeer: ReadPeer
  isSignerAvailable(): boolean
}

const priceReader = ({ board, clock, ledger, readPeer, isSignerAvailable }: Reading): Prices => ({
  async read(symbol, signal, isPassive) {
    const begun = clock.now()
    const [thirdParty] = await Promise.all([
      readPeer(symbol, signal),
      isPassive ? board.restore(symbol) : waitForPrint(board, clock, symbol, signal),
    ])
    const { print, attempt } = board.newest(symbol)
    const check = print === null ? null : await checkPrint(ledger, symbol, print)
    const { mode, maxDispersionBps } = board
    return decidePrice({
      ...{ symbol, mode, maxDispersionBps, print, attempt, check, begun, now: clock.now(), thirdParty },
      isSignerAvailable: isSignerAvailable(),
    })
  },
})

/** Until there is a print that is young enough or the attempt has failed; no longer than a caller is kept waiting. */
async function waitForPrint(board: PriceBoard, clock: Reading['clock'], symbol: PriceSymbol, signal: AbortSignal) {
  if (board.mode === 'off') return
  board.mark(symbol)
  const isYoung = () => {
    const { print } = board.newest(symbol)
    return print !== null && clock.now() - print.observedAt < PRINT_INTERVAL_MS
  }
  if (isYoung() || board.isRecent(symbol)) return
  await board.restore(symbol)
  if (isYoung()) return
  const next = board.nextAttempt(symbol)
  await withDeadline(
    MAX_WAIT_MS,
    () => next,
    () => undefined,
    signal,
  )
}
