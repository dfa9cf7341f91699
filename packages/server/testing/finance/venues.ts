/** Four price venues on this machine, each in the format of its own, for as long as a test lasts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type VenueAnswer = (request: IncomingMessage, response: ServerResponse) => void
export type VenueName = 'coinbase' | 'kraken' | 'bitstamp' | 'gemini'
type Scope = { after(clean: () => void): void }

export const JSON_HEAD = { 'content-type': 'application/json' }
export const sent =
  (body: unknown, status = 200, headers: Record<string, string> = JSON_HEAD): VenueAnswer =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))

export const coinbaseTicker = (bid = '100.00', ask = bid, more: object = {}) => ({
  ...{ trade_id: 86326522, price: bid, size: '0.00698254', time: '2026-01-02T03:59:58.935123Z', bid, ask },
  ...{ volume: '5957.11914015', rfq_volume: '3.2', ...more },
})
export const krakenTicker = (bid = '100.05', ask = bid, name = 'XXBTZUSD') => ({
  error: [] as string[],
  result: {
    [name]: {
      ...{ a: [ask, '1', '1.000'], b: [bid, '2', '2.000'], c: [bid, '0.1'], v: ['1', '2'], p: ['1', '2'] },
      ...{ t: [1, 2], l: ['1', '1'], h: ['9', '9'], o: '5' },
    },
  },
})
export const bitstampTicker = (bid = '100.10', ask = bid, more: object = {}) => ({
  ...{ timestamp: '1767326399', open: '1', high: '2', low: '1', last: bid, volume: '213.2', vwap: '1.5', bid, ask },
  ...{ side: '0', open_24: '1', percent_change_24: '13.57', ...more },
})
export const geminiTicker = (bid = '100.05', ask = bid, volume: object = {}) => ({
  ...{ bid, ask, last: bid },
  volume: { BTC: '2210.505328803', USD: '2135477.46', timestamp: 1767326400000, ...volume },
})

/** Answers of now, for a service whose clock the test does not move. */
export const tickersOfNow = (prices: Record<VenueName, string>): Record<VenueName, VenueAnswer> => ({
  coinbase: (request, response) =>
    sent(coinbaseTicker(prices.coinbase, prices.coinbase, { time: new Date().toISOString() }))(request, response),
  kraken: sent(krakenTicker(prices.kraken)),
  bitstamp: (request, response) =>
    sent(bitstampTicker(prices.bitstamp, prices.bitstamp, { timestamp: `${Math.floor(Date.now() / 1000)}` }))(
      request,
      response,
    ),
  gemini: (request, response) =>
    sent(geminiTicker(prices.gemini, prices.gemini, { timestamp: Date.now() }))(request, response),
})

/** `current` may be changed while they run. */
export async function startVenues(scope: Scope, current: Record<VenueName, VenueAnswer>) {
  const asked: string[] = []
  const start = async (name: VenueName) => {
    const server = createServer((request, response) => {
      asked.push(`${name} ${request.url}`)
      current[name](request, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    scope.after(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const origins = {
    coinbase: await start('coinbase'),
    kraken: await start('kraken'),
    bitstamp: await start('bitstamp'),
    gemini: await start('gemini'),
  }
  const env = Object.fromEntries(
    Object.entries(origins).map(([name, origin]) => [`ORCH_SOURCE_${name.toUpperCase()}_URL`, origin]),
  )
  return { asked, origins, env }
}
