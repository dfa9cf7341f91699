import { createSign, generateKeyPairSync } from 'node:crypto'
import { requireKey } from './signer.ts'

/** Key pairs that live for one proof: no file and no ring ever holds them. */
export const ephemeralKeys = () => ({ production: pair(), demo: pair(), untrusted: pair() })

function pair() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: requireKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    sign: (message: Uint8Array) => new Uint8Array(createSign('sha256').update(message).sign(privateKey)),
  }
}
