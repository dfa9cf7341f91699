// A ledger grown to the size given; then, in fresh processes: start-up time, proof latency and resident memory. Prints
// one JSON object. Receipts are unsigned here: neither starting nor proving looks at signatures.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { openLedger } from '../../packages/server/src/ledger/ledger.ts'
import { benchFolder } from '../folder.ts'
import { draftOf, settingsOf } from './receipts.ts'

const PROOFS = 500
const [what, size, folder] = [process.argv[2], Number(process.argv[3]), process.argv[4]]

if (what === 'probe') {
  const started = performance.now()
  const ledger = await openLedger(settingsOf(folder!, 'none'))
  const startMs = performance.now() - started
  const times: number[] = []
  for (let at = 0; at < PROOFS; at += 1) {
    const before = performance.now()
    await ledger.inclusion(Math.floor((size / PROOFS) * at), size)
    times.push(performance.now() - before)
  }
  times.sort((a, b) => a - b)
  for (let n = 0; n < 2_000; n += 1) await ledger.append(draftOf(n))
  process.stdout.write(
    `${JSON.stringify({ size, start_ms: startMs, proof_ms_p50: times[PROOFS / 2], rss_mib: process.memoryUsage.rss() / 2 ** 20 })}\n`,
  )
  await ledger.close()
} else {
  const data = benchFolder()
  const ledger = await openLedger(settingsOf(data, 'none'))
  let next = 0
  await Promise.all(
    Array.from({ length: 1_000 }, async () => {
      while (next < size) await ledger.append(draftOf(next++))
    }),
  )
  await ledger.close()
  process.stdout.write(execFileSync(process.execPath, [fileURLToPath(import.meta.url), 'probe', String(size), data]))
}
