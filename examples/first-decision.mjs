// @ts-check
// Ask before acting, then check the answer without asking the service again: the signature, and how lambda came about.
// Run: node examples/first-decision.mjs ["text to judge"] [address, or ORCH_BASE_URL, or http://127.0.0.1:8080]
import { createClient, OrchUnreachable } from '@orch/client'
import { importPublicKey, verifyReceipt } from '@orch/core'

const address = process.env.ORCH_BASE_URL || 'http://127.0.0.1:8080'
const [text = 'What is the capital of France?', baseUrl = address] = process.argv.slice(2)
const client = createClient({ baseUrl })

/** @param {unknown} error @returns {never} */
const failed = (error) => {
  if (!(error instanceof OrchUnreachable)) throw error
  process.stderr.write(`no service answers at ${baseUrl}: start one with npm start, or set ORCH_BASE_URL\n`)
  process.exit(8)
}
const { decision, reasons, lambda, receipt } = await client.governance.govern({ body: { text } }).catch(failed)
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
