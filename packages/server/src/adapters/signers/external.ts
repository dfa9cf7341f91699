import http from 'node:http'
import https from 'node:https'
import { base64Decode, base64Encode, parseStrictJson, verifyP256Sync } from '@orch/core'
import { mapLimit } from '../../platform/map-limit.ts'
import { requireKey, type Signer } from './signer.ts'

const TIMEOUT_MS = 5_000
const MAX_REPLY = 4_096
const AT_ONCE = 32

/** A signing service holds the production key: this process sends what is to be signed and never sees the key. Every
 *  signature that comes back is verified before it is believed. */
export function externalSigner(url: string, publicKeyPem: string): Signer {
  const key = requireKey(publicKeyPem)
  const wire = wireTo(url)
  const signOne = async (message: Uint8Array): Promise<Uint8Array> => {
    const reply = parseStrictJson(await wire.post(JSON.stringify({ pae_b64: base64Encode(message), keyid: key.keyid })))
    const { sig_b64: text, keyid } = reply as { sig_b64?: unknown; keyid?: unknown }
    const signature = typeof text === 'string' ? base64Decode(text) : null
    if (keyid !== key.keyid) throw new Error('the signing service answered for another key')
    if (signature === null || !verifyP256Sync(key, message, signature))
      throw new Error('the signing service returned a signature that does not verify')
    return signature
  }
  return {
    kind: 'production',
    key,
    sign: (messages) => mapLimit(messages, AT_ONCE, signOne),
    close: () => wire.close(),
  }
}

interface Wire {
  post(body: string): Promise<Uint8Array>
  close(): void
}

function wireTo(url: string): Wire {
  const socketPath = url.startsWith('unix:') ? url.slice('unix:'.length) : null
  const secure = url.startsWith('https:')
  const agent = secure
    ? new https.Agent({ keepAlive: true, maxSockets: AT_ONCE })
    : new http.Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const target = socketPath === null ? new URL(url) : { socketPath, path: '/sign' }
  const options = { method: 'POST', agent, timeout: TIMEOUT_MS, headers: { 'content-type': 'application/json' } }
  const send = secure ? https.request : http.request
  return {
    post: (body) =>
      new Promise((resolve, reject) => {
        const request =
          socketPath === null ? send(target as URL, options) : http.request({ ...options, ...(target as object) })
        const limit = setTimeout(
          () => request.destroy(new Error('the signing service did not answer in time')),
          TIMEOUT_MS,
        )
        const settle =
          <T>(done: (value: T) => void) =>
          (value: T) => {
            clearTimeout(limit)
            done(value)
          }
        request.on('error', settle(reject))
        request.on('response', (response) => collect(response).then(settle(resolve), settle(reject)))
        request.end(body)
      }),
    close: () => agent.destroy(),
  }
}

async function collect(response: http.IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    size += part.length
    if (size > MAX_REPLY) throw new Error('the signing service answered at too great length')
    parts.push(part)
  }
  if (response.statusCode !== 200) throw new Error(`the signing service answered ${response.statusCode}`)
  return Buffer.concat(parts)
}
