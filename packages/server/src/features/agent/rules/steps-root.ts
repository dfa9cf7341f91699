import { hexDecode, hexEncode, leafHash, rootOf } from '@orch/core'

/** RFC 6962 root over step receipts: leaf data are the 32 bytes of a digest, in the order of the steps, never sorted. */
export function stepsRoot(digests: readonly string[]): string {
  const leaves = digests.map((digest) => {
    const bytes = hexDecode(digest)
    if (bytes?.length !== 32) throw new RangeError('a step is named by the 64 hex digits of its receipt')
    return leafHash(bytes)
  })
  return hexEncode(rootOf(leaves))
}
