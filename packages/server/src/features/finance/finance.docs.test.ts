// The shell blocks of docs/finance.md, run against a service whose providers are a local server in their formats.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { environmentAt, localProviders } from '#testing/finance/local-providers.ts'
import { startVenues, tickersOfNow } from '#testing/finance/venues.ts'
import { startApp } from '#testing/layer.ts'

const text = readFileSync(new URL('../../../../../docs/finance.md', import.meta.url), 'utf8')
const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)
const local = await localProviders()
after(() => local.close())
// The ticker of the local server is of another day; the other three venues answer of now.
const { env: venues } = await startVenues(
  { after: (clean) => after(clean) },
  tickersOfNow({ coinbase: '67901.255', kraken: '67895.55', bitstamp: '67899.00', gemini: '67901.25' }),
)
const service = await startApp({ after }, { ORCH_STORE: 'memory', ...venues, ...environmentAt(local.origin) }, [])

test('there is an example of every reading surface', () => {
  const finance = ['observations', 'providers', 'overview', 'contract', 'signed-prices/BTC', 'signed-prices/model']
  const markets = ['company', 'debt', 'macro', 'summary']
  for (const path of [...finance.map((name) => `/finance/${name}`), ...markets.map((name) => `/markets/${name}`)])
    assert.ok(
      blocks.some((block) => block.includes(path)),
      path,
    )
})

for (const [at, block] of blocks.entries())
  test(`block ${at + 1} of docs/finance.md finds what the page says`, async () => {
    const script = block.replaceAll('http://127.0.0.1:8080', service.url)
    await promisify(execFile)('sh', ['-ec', script], { timeout: 60_000, maxBuffer: 2 ** 24 })
  })
