// The keys of this visit. They live in memory and are gone with the page.
import { importPublicKey, type KeyKind, type PublicKey, parseVkey, type Trust } from '@orch/core'

/** `fromFile` marks a key that came with the evidence and that the reader chose to use: it is never more than that. */
export type RingKey = { key: PublicKey; kind: KeyKind; fromFile: boolean }

const PEM_BLOCK = /-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g
const MAX_KEYS = 64 * 1024

export class KeyRing {
  readonly keys = new Map<string, RingKey>()
  readonly logKeys = new Set<string>()

  /** PEM blocks and log verifier keys, as many as there are. Returns how many were read and what was not. */
  add(text: string, kind: KeyKind = 'caller-supplied'): { added: number; fault: string | null } {
    if (text.length > MAX_KEYS) return { added: 0, fault: 'This is too long to be a key.' }
    const blocks = text.match(PEM_BLOCK) ?? []
    const rest = text
      .replace(PEM_BLOCK, '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
    const keys = blocks.map(importPublicKey)
    if (blocks.length + rest.length === 0) return { added: 0, fault: 'Paste a key first.' }
    if (keys.includes(null))
      return { added: 0, fault: 'A PEM block is not a P-256 public key with a point on the curve.' }
    if (!rest.every((line) => parseVkey(line) !== null)) return { added: 0, fault: faultOf(text) }
    for (const key of keys) if (key) this.keys.set(key.keyid, { key, kind, fromFile: false })
    for (const line of rest) this.logKeys.add(line)
    return { added: keys.length + rest.length, fault: null }
  }

  /** The reader's own word about a key stands above the file's. */
  useFromFile(key: PublicKey): void {
    if (!this.keys.has(key.keyid)) this.keys.set(key.keyid, { key, kind: 'caller-supplied', fromFile: true })
  }

  /** What one file brought along says nothing about the next. */
  forgetFromFile(): void {
    for (const [keyid, { fromFile }] of this.keys) if (fromFile) this.keys.delete(keyid)
  }

  trust(): Trust {
    return { keys: [...this.keys.values()].map(({ key, kind }) => ({ key, kind })), logKeys: [...this.logKeys] }
  }
}

function faultOf(text: string): string {
  if (/PRIVATE KEY/.test(text)) return 'That is a private key. Do not paste it anywhere; only the public key is needed.'
  if (/BEGIN CERTIFICATE/.test(text)) return 'That is a certificate. Paste the public key (BEGIN PUBLIC KEY).'
  return 'This is neither a public key in PEM form nor the verifier key of a log.'
}
