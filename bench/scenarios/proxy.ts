// What the OpenAI-compatible proxy costs where nothing is found, beside a proxy that looks at nothing: requests of a few
// connections, and how long one client waits at the median, which holds two durable receipts.
import { httpLoad, httpWait } from '../http-load.ts'
import { CHAT } from '../references/chat-upstream.ts'
import type { Scenario } from '../scenario.ts'

const connections = 8

export const passThrough: Scenario = {
  name: 'pass-through',
  unit: 'requests/s',
  prepare: () => httpLoad({ target: './references/pass-through.ts', body: CHAT, connections }),
}

export const proxy: Scenario = {
  name: 'proxy',
  unit: 'requests/s',
  ratioTo: 'pass-through',
  prepare: () => httpLoad({ target: './targets/proxy.ts', body: CHAT, connections }),
}

export const passThroughWait: Scenario = {
  name: 'pass-through-p50',
  unit: 'ms',
  prepare: () => httpWait({ target: './references/pass-through.ts', body: CHAT }),
}

export const proxyWait: Scenario = {
  name: 'proxy-p50',
  unit: 'ms',
  addedTo: 'pass-through-p50',
  most: 1,
  prepare: () => httpWait({ target: './targets/proxy.ts', body: CHAT }),
}
