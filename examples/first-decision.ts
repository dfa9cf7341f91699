// Ask before acting, then check the answer without asking the service again: the signature, and how lambda came about.
// Run: node examples/first-decision.ts ["text to judge"] [http://127.0.0.1:8080]
import { createClient } from '@orch/client'
import { importPublicKey, verifyReceipt } from '@orch/core'

const [text = 'What is the capital of France?', baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const client = createClient({ baseUrl })

const { decision, reasons, lambda, receipt } = await client.governance.govern({ body: { text } })
if (!receipt) throw new Error('a decision without a receipt is none')
process.stdout.write(`${decision} ${reasons.join(',')}\n`)
if (lambda)
  process.stdout.write(`lambda ${lambda.value} (${lambda.label}, can hold, never lets pass, ${lambda.status})\n`)

// Here the key comes from the same service for brevity. An auditor has it from elsewhere: see docs/auditor.md.
const key = importPublicKey(await client.keys.cosign())
if (!key) throw new Error('the service gave no P-256 key')

const record = await client.receipts.get({ params: { digest: receipt.digest } })
const report = await verifyReceipt(record, { keys: [{ key, kind: 'caller-supplied' }], expectedDigest: receipt.digest })
for (const { check, status, reason } of report.checks) process.stdout.write(`${check} ${status}: ${reason}\n`)
process.exitCode = decision === 'deny' ? 6 : decision === 'review' ? 7 : report.verdict === 'FAIL' ? 3 : 0
