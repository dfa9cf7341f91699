// A process that waits to be told, then records many requests at once that all compete for one document and share one
// counter. Settings come as JSON in the first argument, the number of requests in the second. On stdout: `ready`, then per
// request `kept <count> <node index>` or `refused <code>`, then `tries <how often it was decided>`.
import { once } from 'node:events'
import { sha256Hex } from '@orch/core'
import { openLedger } from '../src/ledger/ledger.ts'
import type { LedgerSettings } from '../src/ledger/protocol.ts'
import { createRecorder } from '../src/ledger/recorder.ts'
import type { Call } from '../src/operation.ts'
import { systemClock } from '../src/platform/clock.ts'
import type { Draft } from '../src/ports.ts'

const settings = JSON.parse(process.argv[2]!) as LedgerSettings
const requests = Number(process.argv[3])
const place = { space: 'test.contested', key: sha256Hex('contested'), owner: 'public/local' }

const ledger = await openLedger(settings)
const recorder = createRecorder(ledger, systemClock)
let tries = 0

/** One more than what is stored now. */
async function step(): Promise<Draft> {
  tries += 1
  const { version = 0, value = '0' } = (await ledger.reader.document(place.space, place.key)) ?? {}
  const count = Number(value) + 1
  return {
    chain: 'contested',
    kind: 'mint',
    payload: { count },
    answer: { count },
    busy: 'session_busy',
    documents: [{ ...place, expect: version, state: 'OPEN', rank: 0, value: String(count) }],
    counters: [{ ...place, add: 1, limit: 1_000 }],
  }
}

const call = (n: number): Call => ({
  params: null,
  query: null,
  body: n,
  headers: {},
  caller: { namespace: 'public', owner: 'local', keyId: null, authMode: 'open', scopes: new Set() },
  requestId: `r${n}`,
  inputSource: 'CALLER',
  signal: new AbortController().signal,
})

async function request(n: number): Promise<string> {
  try {
    const { body } = await recorder.record(call(n), 'test.contend', step)
    const { count, receipt } = body as unknown as { count: number; receipt: { node_index: number } }
    return `recorded ${count} ${receipt.node_index}`
  } catch (error) {
    return `refused ${(error as { code?: string }).code ?? (error as Error).message}`
  }
}

await ledger.reader.head()
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const lines = await Promise.all(Array.from({ length: requests }, (_, n) => request(n)))
process.stdout.write(`${lines.join('\n')}\ntries ${tries}\n`)
await ledger.close()
process.stdin.destroy()
