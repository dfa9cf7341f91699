/** The smallest signing service that works with ORCH_SIGNER=external. The key lives in this process alone.
 *
 *    node examples/reference-signer.ts key.pem unix:/run/orch-signer.sock
 *    ORCH_SIGNER=external ORCH_SIGNER_URL=unix:/run/orch-signer.sock ORCH_SIGNER_PUBLIC_KEY="$(cat key.pem.pub)" npm start
 *
 *  POST {"pae_b64", "keyid"} -> {"sig_b64", "keyid"}. It signs DSSE encodings of receipts, packs and the self-test probe
 *  and nothing else: whoever reaches it must not be able to have other bytes signed. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [keyFile = 'key.pem', address = 'http://127.0.0.1:8099'] = process.argv.slice(2)
const SIGNED_TYPES = [
  'application/vnd.orch.receipt+json',
  'application/vnd.orch.evidence-pack+json',
  'application/vnd.orch.signer-probe',
]
const PREFIXES = SIGNED_TYPES.map((type) => `DSSEv1 ${type.length} ${type} `)
const LIMIT = 256 * 1024

if (!existsSync(keyFile)) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
}
const privateKey = createPrivateKey(readFileSync(keyFile))
const publicKey = createPublicKey(privateKey)
const keyid = createHash('sha256')
  .update(publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex')
writeFileSync(`${keyFile}.pub`, publicKey.export({ type: 'spki', format: 'pem' }))

function answer(body: string): { status: number; reply: object } {
  const { pae_b64: text, keyid: wanted } = JSON.parse(body) as { pae_b64: string; keyid: string }
  const message = Buffer.from(text, 'base64')
  const known = PREFIXES.some((prefix) => message.subarray(0, prefix.length).toString('latin1') === prefix)
  if (wanted !== keyid) return { status: 404, reply: { error: 'no such key' } }
  if (!known) return { status: 403, reply: { error: 'only receipts, packs and probes are signed here' } }
  return { status: 200, reply: { sig_b64: sign('sha256', message, privateKey).toString('base64'), keyid } }
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('latin1').on('data', (part: string) => {
    body += part
    if (body.length > LIMIT) request.destroy()
  })
  request.on('end', () => {
    let result: ReturnType<typeof answer>
    try {
      result = answer(body)
    } catch {
      result = { status: 400, reply: { error: 'send {"pae_b64", "keyid"}' } }
    }
    response.writeHead(result.status, { 'content-type': 'application/json' }).end(JSON.stringify(result.reply))
  })
})
const ready = () => process.stdout.write(`signing with ${keyid}\n`)
if (address.startsWith('unix:')) server.listen(address.slice(5), ready)
else server.listen(Number(new URL(address).port), new URL(address).hostname, ready)
