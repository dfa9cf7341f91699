import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { openWatchedPage } from '@orch/server/testing/checked-page.ts'
import { chromiumUnavailable, launchChromium } from '@orch/server/testing/chromium.ts'
import { freshFolder } from '@orch/server/testing/private-folder.ts'
import type * as client from '../../packages/client/src/index.ts'
import type * as core from '../../packages/core/src/index.ts'
import { buildPackages } from './build-packages.ts'

const vector = (name: string) => JSON.parse(readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8'))

test('9.3 a browser loads the built core and client as they are and verifies a receipt', async (t) => {
  const missing = chromiumUnavailable()
  if (missing) return t.skip(missing)
  const folder = freshFolder('built-in-browser')
  await buildPackages(folder)
  const files: Record<string, string> = { '/core.js': 'core/index.js', '/client.js': 'client/index.js' }
  const server = createServer(({ url = '' }, response) => {
    const file = files[url]
    response.setHeader('content-security-policy', "default-src 'none'; script-src 'self'; connect-src 'self'")
    response.setHeader('content-type', file ? 'text/javascript' : 'text/html')
    response.end(file ? readFileSync(join(folder, file)) : '<!doctype html><title>packages</title>')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const browser = await launchChromium()
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { page, problems } = await openWatchedPage(browser, origin)
    await page.goto('/')
    const found = await page.evaluate(
      async ({ exported, pem, addresses }) => {
        const [{ importPublicKey, verifyAny }, { createClient }] = (await Promise.all(
          addresses.map((address) => import(address)),
        )) as [typeof core, typeof client]
        const key = importPublicKey(pem)!
        const verify = (text: string) => verifyAny(text, { keys: [{ key, kind: 'production' }] })
        const good = await verify(JSON.stringify(exported))
        const bad = await verify(JSON.stringify(exported).replace('"node_digest":"', '"node_digest":"0'))
        return [good.verdict, bad.verdict, createClient({ baseUrl: location.origin }).baseUrl]
      },
      {
        exported: vector('golden.json').export,
        pem: vector('keys.json').p256.production.pem as string,
        addresses: Object.keys(files),
      },
    )
    assert.deepEqual(found, ['PARTIAL', 'FAIL', origin])
    assert.deepEqual(problems, [])
  } finally {
    await browser.close()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
