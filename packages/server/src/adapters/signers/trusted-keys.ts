import { readFileSync } from 'node:fs'
import { importPublicKey, type TrustedKey } from '@orch/core'

const MAX_KEYS = 32
const MAX_BYTES = 16 * 1024
const BLOCK = /-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]{1,2048}-----END PUBLIC KEY-----/g

/** Keys of other ledgers whose receipts count as production here. Read once; a file that holds anything but keys refuses
 *  the start, for whoever wrote it meant something else. */
export function readTrustedKeys(file: string | null): TrustedKey[] {
  if (file === null) return []
  const text = readFileSync(file, 'utf8')
  const blocks = text.match(BLOCK) ?? []
  const rest = text.replace(BLOCK, '').trim()
  if (text.length > MAX_BYTES || blocks.length === 0 || blocks.length > MAX_KEYS || rest !== '')
    throw new Error(`ORCH_TRUSTED_KEYS must name a file of 1 to ${MAX_KEYS} public keys in PEM and nothing else`)
  return blocks.map((block, at) => {
    const key = importPublicKey(`${block}\n`)
    if (key === null) throw new Error(`key ${at + 1} of ORCH_TRUSTED_KEYS is not a P-256 public key`)
    return { key, kind: 'production' }
  })
}
