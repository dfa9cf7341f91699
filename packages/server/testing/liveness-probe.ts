// A liveness probe with an event loop of its own: the load generator's loop, which reads 300 streams, must not be
// mistaken for that of the service. It follows the service from one start to the next; null pauses it.
import { setTimeout as pause } from 'node:timers/promises'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { send } from './raw-http.ts'

const EVERY_MS = 100

export interface Probe {
  url: string
  status: number
  ms: number
}

interface LivenessProbe {
  follow(url: string | null): void
  stop(): Promise<void>
}

export function startLivenessProbe(onProbe: (probe: Probe) => void): LivenessProbe {
  const worker = new Worker(new URL(import.meta.url))
  worker.on('message', onProbe)
  return {
    follow: (url) => worker.postMessage(url),
    stop: async () => {
      await worker.terminate()
    },
  }
}

async function probeForever(): Promise<never> {
  let url: string | null = null
  parentPort!.on('message', (next: string | null) => {
    url = next
  })
  for (;;) {
    const probed: string | null = url
    if (probed !== null) {
      const begun = performance.now()
      // A connection that breaks off is what a kill looks like from outside.
      const status = await send(`${probed}/api/livez`).then(
        (answer) => answer.status,
        () => null,
      )
      if (status !== null && probed === url)
        parentPort!.postMessage({ url: probed, status, ms: performance.now() - begun } satisfies Probe)
    }
    await pause(EVERY_MS)
  }
}

if (!isMainThread) void probeForever()
