// A process that takes due effects to the file sink and can be ended or stopped at a chosen moment. Settings of the
// ledger come as JSON in the first argument, the sink's folder in the second, where to wait in the third: `claimed`,
// before the sink is asked, or `delivered`, when it has the file and nothing is marked. On stdout: the place it waits at,
// then, once told to go on, its report as JSON.
import { once } from 'node:events'
import { openFileSink } from '../src/features/stepping/io/sink-file.ts'
import { drain } from '../src/features/stepping/outbox/outbox.ts'
import { openLedger } from '../src/ledger/ledger.ts'
import type { LedgerSettings } from '../src/ledger/protocol.ts'
import { systemClock } from '../src/platform/clock.ts'
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
