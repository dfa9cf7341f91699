// A process that takes due effects to the file sink and can be ended or stopped at a chosen moment. Settings of the
// ledger come as JSON in the first argument, the sink's folder in the second, where to wait in the third: `claimed`,
// before the sink is asked, or `delivered`, when it has the file and nothing is marked. On stdout: the place it waits at,
// then, once told to go on, its report as JSON.
import { once } from 'node:events'
import { systemClock } from '../../packages/server/src/adapters/clock.ts'
import { openLedger } from '../../packages/server/src/ledger/ledger.ts'
import type { LedgerSettings } from '../../packages/server/src/ledger/protocol.ts'
import { drain } from '../../packages/server/src/stepping/outbox.ts'
import { openFileSink } from '../../packages/server/src/stepping/sink-file.ts'
import { outboxOn } from './stepping-effects.ts'

const [settings = '', folder = '', place = ''] = process.argv.slice(2)
const ledger = await openLedger(JSON.parse(settings) as LedgerSettings)
const files = await openFileSink({ folder, now: systemClock.now })

async function reached(here: string): Promise<void> {
  if (here !== place) return
  process.stdout.write(`${here}\n`)
  await once(process.stdin, 'data')
}

const sink = {
  ...files,
  async deliver(artifact: Parameters<typeof files.deliver>[0]) {
    await reached('claimed')
    await files.deliver(artifact)
    await reached('delivered')
  },
}
const report = await drain(outboxOn(ledger, systemClock, sink), 'public', 1)
process.stdout.write(`${JSON.stringify(report)}\n`)
await ledger.close()
process.stdin.destroy()
