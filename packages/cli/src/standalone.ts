// The way in of the built file `orch.mjs`, which is also the program of its own signature threads.
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const { main } = await import('./main.ts')
  await main(process.argv.slice(2))
} else await import('./signature-worker.ts')
