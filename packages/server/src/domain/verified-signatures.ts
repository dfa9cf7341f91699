/** Exists for speed alone: signatures that this process has verified. One is found here in about 10 microseconds and verified
 *  in 70 to 100 (`npm run bench -- --only raw-verify`), and a walk or a step asks about the same ones again. The bytes are
 *  read and hashed every time; what is remembered is that this signature of this key holds for them, which no later edit
 *  changes. Kept in memory alone: whoever can write to the store cannot add to it. */
import { hexEncode, type PublicKey, sha256Hex, verifyP256Sync } from '@orch/core'

/** As many as a walk from genesis may see: about 5 MiB. */
const MAX_ENTRIES = 50_000

export class VerifiedSignatures {
  private readonly most: number
  /** One digest for body, key and signature together, all of which would have to be the same. */
  private readonly known = new Set<string>()

  constructor(most = MAX_ENTRIES) {
    this.most = most
  }

  /** `digest` is of the body that `message` was made of, computed by whoever asks. */
  holds(key: PublicKey, digest: string, message: () => Uint8Array, signature: Uint8Array): boolean {
    if (this.known.has(nameOf(digest, key.keyid, signature))) return true
    if (!verifyP256Sync(key, message(), signature)) return false
    this.remember(digest, key.keyid, signature)
    return true
  }

  /** Also of what this process has just signed: whoever edits the stored bytes or the signature asks about others. */
  remember(digest: string, keyid: string, signature: Uint8Array): void {
    if (this.known.size >= this.most) this.known.clear()
    this.known.add(nameOf(digest, keyid, signature))
  }
}

/** Digest and signature are hexadecimal, so no two triples are the same text. */
const nameOf = (digest: string, keyid: string, signature: Uint8Array): string =>
  sha256Hex(`${digest} ${keyid} ${hexEncode(signature)}`)

/** Those of this process: a signature that one part of it has verified is not verified again for another. */
export const verifiedSignatures = new VerifiedSignatures()
