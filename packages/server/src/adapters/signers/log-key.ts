import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatVkey, formatWitnessKey, type NoteSigner, noteKeyHash, parseWitnessKey } from '@orch/core'
import { writeDurably } from '../../platform/durable-file.ts'
import type { WitnessKey } from '../witness/witness.ts'

export interface LogKey {
  vkey: string
  signer: NoteSigner
  /** It was made just now: nothing can have been signed with it before. */
  isNew: boolean
}

export const LOG_KEY_FILE = 'log-key.pem'

const WITNESS_KEY_FILE = 'witness-key.pem'

/** The Ed25519 key of the transparency log, made on the first start. The origin is the key's name, so a log that moves
 *  to another name is another log. */
export function loadLogKey(folder: string, origin: string): LogKey {
  const { privateKey, publicKey, isNew } = loadEd25519(join(folder, LOG_KEY_FILE))
  return {
    isNew,
    vkey: formatVkey(origin, publicKey),
    signer: {
      name: origin,
      keyHash: noteKeyHash(origin, publicKey),
      sign: async (message) => sign(null, message, privateKey),
    },
  }
}

/** The key a witness cosigns with, made on its first start. */
export function loadWitnessKey(folder: string, name: string): WitnessKey & { vkey: string } {
  const { privateKey, publicKey } = loadEd25519(join(folder, WITNESS_KEY_FILE))
  const vkey = formatWitnessKey(name, publicKey)
  const { keyHash } = parseWitnessKey(vkey)!
  return { name, keyHash, vkey, sign: (message) => new Uint8Array(sign(null, message, privateKey)) }
}

function loadEd25519(file: string): { privateKey: KeyObject; publicKey: Uint8Array; isNew: boolean } {
  const isNew = !existsSync(file)
  if (isNew)
    writeDurably(file, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }), 0o600)
  const privateKey = createPrivateKey(readFileSync(file))
  return { privateKey, publicKey: rawPublicKey(privateKey), isNew }
}

function rawPublicKey(privateKey: KeyObject): Uint8Array {
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' })
  return new Uint8Array(Buffer.from(x!, 'base64url'))
}
