// The figures that docs/finance.md states of closes in the venue's format are those of this build.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startApp } from '#testing/layer.ts'

const page = readFileSync(new URL('../../../../../../docs/finance.md', import.meta.url), 'utf8').replace(/\s+/g, ' ')
const DAY = 86_400
const server = createServer((request, response) => {
  const first = Date.parse(new URL(request.url ?? '', 'http://local').searchParams.get('start') ?? '') / 1000
  const rows = Array.from({ length: 260 }, (_, i) => {
    const close = (100 + 0.5 * i + 5 * Math.sin(i / 3)).toFixed(4)
    return `[${first + i * DAY},${close},${close},${close},${close},1]`
  })
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`[${rows.reverse().join(',')}]`)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const service = await startApp({ after }, { ORCH_STORE: 'memory', ORCH_SOURCE_COINBASE_URL: origin }, [])
const read = async (path: string) =>
  (await (await fetch(`${service.url}/api/orch/v1/finance/analytics/v2/${path}`)).json()) as {
    inputs: { mode: string }
    result: Record<string, string> & { indicators: Record<string, string> & { macd: Record<string, string> } }
  }

test('the page states the figures of signals and quote as they are computed', async () => {
  const { result, inputs } = await read('signals/BTC-USD')
  assert.equal(inputs.mode, 'live')
  const { indicators } = result
  assert.ok(page.includes(`\`ema_26\` is ${indicators.ema_26}`))
  assert.ok(page.includes(`\`rsi_14\` ${indicators.rsi_14}`))
  assert.ok(page.includes(`the MACD histogram ${indicators.macd.histogram}`))
  assert.deepEqual([result.vote_score, result.verdict], [0, 'NEUTRAL'])
  const quote = (await read('quote/BTC-USD')).result
  assert.ok(page.includes(`a volatility of ${quote.volatility} and a drawdown of ${quote.max_drawdown}`))
})
