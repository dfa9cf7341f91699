// @ts-check
// Mint a receipt over an object of your own and verify it without asking the service again.
// Run: node examples/first-receipt.mjs [http://127.0.0.1:8080]
import { createClient } from '@orch/client'
import { importPublicKey, verifyReceipt } from '@orch/core'

const client = createClient({ baseUrl: process.argv[2] ?? 'http://127.0.0.1:8080' })

const receipt = await client.khipu.sign({ body: { agent: 'billing-bot', action: 'refund', amount: '12.50' } })
process.stderr.write(`minted ${receipt.digest} at index ${receipt.node_index}\n`)

// Here the key comes from the same service for brevity. An auditor has it from elsewhere: see docs/auditor.md.
const key = importPublicKey(await client.keys.cosign())
if (!key) throw new Error('the service gave no P-256 key')

const report = await verifyReceipt(receipt, {
  keys: [{ key, kind: 'caller-supplied' }],
  expectedDigest: receipt.digest,
})
for (const { check, status, reason } of report.checks) process.stdout.write(`${check} ${status}: ${reason}\n`)
process.stdout.write(`${report.verdict}\n`)
process.exitCode = report.verdict === 'PASS' || report.verdict === 'PARTIAL' ? 0 : 1
