/** A process that appends without end and says on stdout what was acknowledged: `<node_index> <digest>` per line. What
 *  the reader of that pipe has seen, the ledger owes. Settings come as JSON in the first argument, then the number of
 *  writers, how much to append, the name of the node, and `counting` where each writer counts in a document and all of them
 *  together in one counter. */
import { writeSync } from 'node:fs'
import { openLedger } from '../../src/ledger/ledger.ts'
import type { LedgerSettings } from '../../src/ledger/protocol.ts'
import type { AppendOptions } from '../../src/ports.ts'
import { ALL_WRITERS, COUNTERS, counterKey } from './crashes.ts'

const settings = JSON.parse(process.argv[2]!) as LedgerSettings
const writers = Number(process.argv[3])
const limit = Number(process.argv[4] ?? Number.POSITIVE_INFINITY)
const node = process.argv[5] ?? 'a'
const counting = process.argv[6] === 'counting'

const ledger = await openLedger(settings)
if (ledger.state().readOnly !== null) throw new Error(ledger.state().readOnly!)
// The reading thread has started too: on a busy machine it may take longer than the whole round.
await ledger.reader.head()
writeSync(1, `ready ${ledger.state().size}\n`)

async function counted(writer: number): Promise<AppendOptions> {
  const key = counterKey(writer)
  const found = await ledger.reader.document(COUNTERS, key)
  const { count } = found === null ? { count: 0 } : (JSON.parse(found.value) as { count: number })
  const value = JSON.stringify({ count: count + 1 })
  const place = { space: COUNTERS, owner: 'public/local' }
  return {
    documents: [{ ...place, key, expect: found?.version ?? 0, state: '', rank: 0, value }],
    counters: [{ ...place, key: ALL_WRITERS, add: 1, limit: null }],
  }
}

let sent = 0
async function write(writer: number): Promise<void> {
  while (sent < limit) {
    sent += 1
    const request = `${node}-${writer}-${sent}`
    try {
      const draft = {
        ns: 'public',
        chain: `chain-${writer % 5}`,
        kind: 'mint' as const,
        ts_utc: '2026-01-01T00:00:00.000Z',
        request_id: request,
        actor: { owner: 'local', key_id: null, auth_mode: 'open' },
        policy: null,
        payload: { statement: { request, writer } },
      }
      const { nodeIndex, digest } = await ledger.append(draft, counting ? await counted(writer) : {})
      // Synchronous: the line is in the pipe before anything else happens, as a reply is on the wire.
      writeSync(1, `${nodeIndex} ${digest}\n`)
    } catch (error) {
      writeSync(1, `refused ${(error as { code?: string }).code}\n`)
      await new Promise((later) => setTimeout(later, 50))
    }
  }
}
await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
await ledger.close()
writeSync(1, 'done\n')
