/** Signatures that this process has verified, so that a walk over the same bytes costs no second verification. The bytes are
 *  read and hashed every time; what is remembered is that this signature of this key holds for them, which no later edit
 *  changes. Kept in memory alone: whoever can write to the store cannot add to it. */
import { type PublicKey, verifyP256Sync } from '@orch/core'

/** As many as a walk from genesis may see. */
const MAX_ENTRIES = 50_000

export class VerifiedSignatures {
  private readonly most: number
  private readonly known = new Map<string, { keyid: string; signature: Uint8Array }>()

  constructor(most = MAX_ENTRIES) {
    this.most = most
  }

  /** `digest` is of the body that `message` was made of, computed by whoever asks. */
  holds(key: PublicKey, digest: string, message: () => Uint8Array, signature: Uint8Array): boolean {
    const found = this.known.get(digest)
    if (found !== undefined && found.keyid === key.keyid && Buffer.compare(found.signature, signature) === 0)
      return true
    if (!verifyP256Sync(key, message(), signature)) return false
    this.remember(digest, key.keyid, signature)
    return true
  }

  /** Also of what this process has just signed: whoever edits the stored bytes or the signature asks about others. */
  remember(digest: string, keyid: string, signature: Uint8Array): void {
    if (this.known.size >= this.most) this.known.clear()
    // A copy: what was read may be a window into far more.
    this.known.set(digest, { keyid, signature: signature.slice() })
  }
}

/** Those of this process: a signature that one part of it has verified is not verified again for another. */
export const verifiedSignatures = new VerifiedSignatures()
