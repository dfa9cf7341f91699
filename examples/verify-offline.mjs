// @ts-check
// Verify any evidence file with a key you already have. No network, no server: the core library and two files.
// Run: node examples/verify-offline.mjs receipt.json cosign.pub
import { readFileSync } from 'node:fs'
import { importPublicKey, verifyAny } from '@orch/core'

const [file, keyFile] = process.argv.slice(2)
if (!file || !keyFile) throw new Error('usage: verify-offline.mjs FILE KEY.pem')

const key = importPublicKey(readFileSync(keyFile, 'utf8'))
if (!key) throw new Error(`${keyFile} is not a P-256 public key`)

// The kind of the evidence is recognised from its content; the report has one shape for all of them.
const report = await verifyAny(readFileSync(file), { keys: [{ key, kind: 'caller-supplied' }] })
for (const { check, status, reason } of report.checks) process.stdout.write(`${check} ${status}: ${reason}\n`)
process.stdout.write(`${report.verdict} (${report.kind})\n`)
process.exitCode = report.verdict === 'FAIL' ? 3 : report.verdict === 'PASS' || report.verdict === 'PARTIAL' ? 0 : 5
