// The whole service in front of the same upstream: both texts examined, both receipts signed and durable.
import { isMainThread } from 'node:worker_threads'
import { startChatUpstream } from '../references/chat-upstream.ts'
import { QUIET, serve } from './serve.ts'

// As a bundle this is the program of the upstream's thread too, which would start a service and a thread of its own.
if (isMainThread) {
  const port = process.env.BENCH_UPSTREAM_PORT ?? (await startChatUpstream())
  const ORCH_UPSTREAM_URL = `http://127.0.0.1:${port}`
  await serve('/v1/chat/completions', { ...QUIET, ORCH_UPSTREAM_URL, ORCH_UPSTREAM_MODEL: 'bench-model' })
}
