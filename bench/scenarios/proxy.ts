// What the OpenAI-compatible proxy costs where nothing is found, beside a proxy that looks at nothing. Few connections:
// how long a client waits is what a user of a proxy feels.
import { httpLoad } from '../http-load.ts'
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
