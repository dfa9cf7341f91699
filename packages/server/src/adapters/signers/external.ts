import http from 'node:http'
import https from 'node:https'
import { base64Decode, base64Encode, parseStrictJson, verifyP256Sync } from '@orch/core'
import { withDeadline } from '../../platform/deadline.ts'
import { mapLimit } from '../../platform/map-limit.ts'
import { OutboundFault } from '../outbound/contract.ts'
import { bodyParts, openExchange } from '../outbound/transport.ts'
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

/** The operator names the service, so its own host may resolve to a private address. */
function wireTo(address: string): Wire {
  const isSocket = address.startsWith('unix:')
  const url = isSocket ? 'http://localhost/sign' : address
  const Agent = url.startsWith('https:') ? https.Agent : http.Agent
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const place = isSocket ? { socketPath: address.slice('unix:'.length) } : {}
  return {
    post: (body) =>
      withDeadline(
        TIMEOUT_MS,
        async (signal) => {
          const asked = { url, body, headers: {}, agent, signal, ...place }
          return collect(await openExchange(asked, [new URL(url).hostname]))
        },
        () => {
          throw new Error('the signing service did not answer in time')
        },
      ),
    close: () => agent.destroy(),
  }
}

async function collect(response: http.IncomingMessage): Promise<Uint8Array> {
  if (response.statusCode !== 200) {
    response.destroy()
    throw new Error(`the signing service answered ${response.statusCode}`)
  }
  try {
    return Buffer.concat(await Array.fromAsync(bodyParts(response, MAX_REPLY)))
  } catch (error) {
    throw error instanceof OutboundFault ? new Error('the signing service answered at too great length') : error
  }
}
