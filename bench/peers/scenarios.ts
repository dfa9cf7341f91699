// `npm run bench:peers`: others who stand in the same place, beside us in the same run. They are installed here and by that
// command alone.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type HttpTarget, httpCost, httpLoad, httpWait } from '../http-load.ts'
import { CHAT, startChatUpstream } from '../references/chat-upstream.ts'
import type { Scenario } from '../scenario.ts'
import { program } from '../scenarios.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** Both stand before one upstream, a thread of this process. */
export async function peerScenarios(): Promise<readonly Scenario[]> {
  if (!existsSync(`${FOLDER}node_modules/.package-lock.json`))
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' })
  const upstream = await startChatUpstream()
  const portkey: HttpTarget = {
    target: './peers/portkey.ts',
    body: CHAT,
    connections: 32,
    headers: {
      authorization: 'Bearer none',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1`,
    },
  }
  const proxy: HttpTarget = {
    target: './targets/proxy.ts',
    body: CHAT,
    connections: 32,
    env: { BENCH_UPSTREAM_PORT: String(upstream) },
  }
  const unit = 'microseconds of processor time per request'
  return [
    { name: 'portkey', unit: 'requests/s', prepare: () => httpLoad(portkey) },
    { name: 'proxy-by-portkey', unit: 'requests/s', ratioTo: 'portkey', bar: 1.5, prepare: () => httpLoad(proxy) },
    { name: 'portkey-p50', unit: 'ms', digits: 3, prepare: () => httpWait(portkey) },
    { name: 'proxy-by-portkey-p50', unit: 'ms', addedTo: 'portkey-p50', most: 3, prepare: () => httpWait(proxy) },
    { name: 'portkey-cost', unit, prepare: () => httpCost(portkey) },
    { name: 'proxy-by-portkey-cost', unit, ratioTo: 'portkey-cost', prepare: () => httpCost(proxy) },
    {
      name: 'governance-sdk',
      unit: 'decisions per second of the processor',
      prepare: program('../peers/governance-sdk.ts'),
    },
    {
      name: 'pipeline',
      unit: 'decisions per second of the processor',
      ratioTo: 'governance-sdk',
      prepare: program('pipeline.ts'),
    },
  ]
}
