// @ts-check
// Verify any evidence file with a key you already have. No network, no server: the core library and two files.
// Run: node examples/verify-offline.mjs receipt.json cosign.pub
import { existsSync, readFileSync } from 'node:fs'
import { importPublicKey, verifyAny } from '@orch/core'

const [file, keyFile] = process.argv.slice(2)
/** @param {string} sentence @returns {never} */
function stop(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(2)
}
if (!file || !keyFile) stop('usage: node verify-offline.mjs FILE KEY.pem')
for (const name of [file, keyFile]) if (!existsSync(name)) stop(`${name} does not exist`)

const key = importPublicKey(readFileSync(keyFile, 'utf8'))
if (!key) stop(`${keyFile} is not a P-256 public key`)

// The kind of the evidence is recognised from its content; the report has one shape for all of them.
const report = await verifyAny(readFileSync(file), { keys: [{ key, kind: 'caller-supplied' }] })
for (const { check, status, reason } of report.checks) process.stdout.write(`${check} ${status}: ${reason}\n`)
process.stdout.write(`${report.verdict} (${report.kind})\n`)
process.exitCode = report.verdict === 'FAIL' ? 3 : report.verdict === 'PASS' || report.verdict === 'PARTIAL' ? 0 : 5
