import { createSign, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { importPublicKey, type PublicKey, pae, type TrustedKey, verifyP256Sync } from '@orch/core'
import type { SelfTest } from '../../ledger/contract.ts'

/** Holds a key, or reaches one. MUST reject rather than return a signature that does not verify. */
export interface Signer {
  kind: 'demo' | 'production' | null
  key: PublicKey | null
  sign(messages: readonly Uint8Array[]): Promise<readonly (Uint8Array | null)[]>
  /** A batch of any size is signed on this thread, before `sign` returns. */
  signsHere?: boolean
  close(): void
}

/** A type no verifier takes for a receipt: what the self-test signs is worthless to whoever gets hold of it. */
const PROBE_TYPE = 'application/vnd.orch.signer-probe'
const PROBE = pae(PROBE_TYPE, new TextEncoder().encode('{"probe":true}'))

/** Signs the probe, verifies what came back and throws it away. */
export async function selfTest(signer: Signer, now: () => string): Promise<SelfTest> {
  if (signer.key === null) return { ok: false, testedAt: now(), reason: 'no signing key is configured' }
  try {
    const [signature] = await signer.sign([PROBE])
    const ok = signature != null && verifyP256Sync(signer.key, PROBE, signature)
    return { ok, testedAt: now(), reason: ok ? null : 'the signature of the probe does not verify' }
  } catch (error) {
    // The system's own sentence names sockets and hosts of the machine; its code does not.
    const { code, message } = error as NodeJS.ErrnoException
    return { ok: false, testedAt: now(), reason: `the signer failed: ${code ?? message}` }
  }
}

export const noSigner: Signer = {
  kind: null,
  key: null,
  sign: async (messages) => messages.map(() => null),
  close: () => undefined,
}

export function requireKey(pem: string): PublicKey {
  const key = importPublicKey(pem)
  if (key === null) throw new Error('the public key is not a P-256 key in PEM')
  return key
}

/** Key pairs that live for one proof: no file and no ring ever holds them. */
export const ephemeralKeys = () => ({ production: pair(), demo: pair(), untrusted: pair() })

function pair() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: requireKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()),
    sign: (message: Uint8Array) => new Uint8Array(createSign('sha256').update(message).sign(privateKey)),
  }
}

const MAX_KEYS = 32
const MAX_BYTES = 16 * 1024
const BLOCK = /-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]{1,2048}-----END PUBLIC KEY-----/g

/** Keys of other ledgers whose receipts count as production here. Read once; a file that holds anything but keys refuses
 *  the start, for whoever wrote it meant something else. */
export function readTrustedKeys(file: string | null, setting = 'ORCH_TRUSTED_KEYS'): TrustedKey[] {
  if (file === null) return []
  const text = readFileSync(file, 'utf8')
  const blocks = text.match(BLOCK) ?? []
  const rest = text.replace(BLOCK, '').trim()
  if (text.length > MAX_BYTES || blocks.length === 0 || blocks.length > MAX_KEYS || rest !== '')
    throw new Error(`${setting} must name a file of 1 to ${MAX_KEYS} public keys in PEM and nothing else`)
  return blocks.map((block, at) => {
    const key = importPublicKey(`${block}\n`)
    if (key === null) throw new Error(`key ${at + 1} of ${setting} is not a P-256 public key`)
    return { key, kind: 'production' }
  })
}
