import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatVkey, type NoteSigner, noteKeyHash } from '@orch/core'
import { writeDurably } from './durable-file.ts'

export interface LogKey {
  vkey: string
  signer: NoteSigner
}

export const LOG_KEY_FILE = 'log-key.pem'

/** The Ed25519 key of the transparency log, made on the first start. The origin is the key’s name, so a log that moves
 *  to another name is another log. */
export function loadLogKey(folder: string, origin: string): LogKey {
  const file = join(folder, LOG_KEY_FILE)
  if (!existsSync(file))
    writeDurably(file, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600)
  const privateKey = createPrivateKey(readFileSync(file))
  const publicKey = rawPublicKey(privateKey)
  return {
    vkey: formatVkey(origin, publicKey),
    signer: {
      name: origin,
      keyHash: noteKeyHash(origin, publicKey),
      sign: async (message) => sign(null, message, privateKey),
    },
  }
}

function rawPublicKey(privateKey: KeyObject): Uint8Array {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(x!, 'base64url'))
}
