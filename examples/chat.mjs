// @ts-check
// Chat through the proxy: what is asked and what is answered pass the gates, and both leave a receipt. Any OpenAI client
// does the same with its base URL set to http://127.0.0.1:8080/v1; this one is fetch, so that nothing is installed.
// Run: node examples/chat.mjs ["question"] [address, or ORCH_BASE_URL, or http://127.0.0.1:8080]
import { createClient } from '@orch/client'
import { importPublicKey, verifyReceipt } from '@orch/core'

const address = process.env.ORCH_BASE_URL || 'http://127.0.0.1:8080'
const [question = 'What is a receipt?', baseUrl = address] = process.argv.slice(2)
const EXIT_CODES = { allow: 0, deny: 6, review: 7 }
const MAX_TOKENS = 48
/** @returns {never} */
const unreachable = () => {
  process.stderr.write(`no service answers at ${baseUrl}: start one with npm start, or set ORCH_BASE_URL\n`)
  process.exit(8)
}

/** Where no upstream is configured the embedded model answers, and its label says what that is worth. */
const { data: models } = await (await fetch(`${baseUrl}/v1/models`).catch(unreachable)).json()
const response = await fetch(`${baseUrl}/v1/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-orch-agent': 'chat-example' },
  body: JSON.stringify({
    model: models[0].id,
    messages: [{ role: 'user', content: question }],
    max_tokens: MAX_TOKENS,
  }),
})
const reply = await response.json()
const decision = response.headers.get('x-orch-decision')
const digest = response.headers.get('x-orch-receipt')
if (!digest || (decision !== 'allow' && decision !== 'review' && decision !== 'deny'))
  throw new Error(`no decision: ${reply.error?.message ?? `HTTP status ${response.status}`}`)

process.stdout.write(`${decision} by the gates, asked of ${models[0].id} (${models[0].orch?.label})\n`)
if (response.ok && models[0].id === 'm1')
  process.stdout.write(
    `m1 is a small text model that continues texts and knows no answers; at most ${MAX_TOKENS} tokens follow:\n`,
  )
if (response.ok) process.stdout.write(`${reply.choices[0].message.content}\n`)
else process.stdout.write(`${response.status} ${reply.error.code}: ${reply.error.message}\n`)
if (decision === 'review') process.stdout.write(`then send it again with x-orch-review: ${reply.error.review_id}\n`)

// Here the key comes from the same service for brevity. An auditor has it from elsewhere: see docs/auditor.md.
const client = createClient({ baseUrl })
const key = importPublicKey(await client.keys.cosign())
if (!key) throw new Error('the service gave no P-256 key')
const record = await client.receipts.get({ params: { digest } })
const report = await verifyReceipt(record, { keys: [{ key, kind: 'caller-supplied' }], expectedDigest: digest })
for (const { check, status, reason } of report.checks) process.stdout.write(`${check} ${status}: ${reason}\n`)
process.exitCode = report.verdict === 'FAIL' ? 3 : response.ok ? 0 : EXIT_CODES[decision] || 1
