// @ts-check
// Mint a receipt over an object of your own and verify it without asking the service again.
// Run: node examples/first-receipt.mjs [address, or ORCH_BASE_URL, or http://127.0.0.1:8080]
import { createClient, OrchUnreachable } from '@orch/client'
import { importPublicKey, verifyReceipt } from '@orch/core'

const address = process.env.ORCH_BASE_URL || 'http://127.0.0.1:8080'
const [baseUrl = address] = process.argv.slice(2)
const client = createClient({ baseUrl })

/** @param {unknown} error @returns {never} */
const failed = (error) => {
  if (!(error instanceof OrchUnreachable)) throw error
  process.stderr.write(`no service answers at ${baseUrl}: start one with npm start, or set ORCH_BASE_URL\n`)
  process.exit(8)
}
const body = { agent: 'billing-bot', action: 'refund', amount: '12.50' }
const receipt = await client.khipu.sign({ body }).catch(failed)
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
