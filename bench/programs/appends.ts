// Signed, durable appends without HTTP: the ledger alone, 256 callers, for the seconds given. Prints the processor time of
// one by thread, and appends/s.
import { openLedger } from '../../packages/server/src/ledger/ledger.ts'
import { benchFolder } from '../folder.ts'
import { ownMeter } from '../thread-clocks.ts'
import { draftOf, settingsOf } from './receipts.ts'

const seconds = Number(process.argv[2])
const data = benchFolder()
const ledger = await openLedger(settingsOf(data))
let count = 0
const run = async (until: number) => {
  while (performance.now() < until) {
    await ledger.append(draftOf(count))
    count += 1
  }
}
const all = (ms: number) => Promise.all(Array.from({ length: 256 }, () => run(performance.now() + ms)))
await all(1_000)
count = 0
const threadTimes = ownMeter()
const started = performance.now()
await all(seconds * 1_000)
const rate = (count / (performance.now() - started)) * 1_000
const threads = threadTimes(count)
await ledger.close()
process.stdout.write(`${threads}${rate}\n`)
