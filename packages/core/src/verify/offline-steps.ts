// The commands by which a receipt is verified in a shell. They follow from the bytes, so nobody has to take them from a
// file: whoever hands over evidence could put any command there.
import { RECEIPT_PAYLOAD_TYPE } from '../doctrine.ts'
import { pae } from '../dsse.ts'
import { base64Encode } from '../encoding.ts'

/** Decoding and verifying. Base64 and hex need no quoting inside single quotes. */
export function offlineCommands(body: Uint8Array, signature: Uint8Array | null, digest: string): [string, string] {
  if (signature === null)
    return [decode(base64Encode(body), 'receipt.json'), `openssl dgst -sha256 receipt.json # must print ${digest}`]
  return [
    `${decode(base64Encode(pae(RECEIPT_PAYLOAD_TYPE, body)), 'pae.bin')} && ${decode(base64Encode(signature), 'sig.der')}`,
    'openssl dgst -sha256 -verify cosign.pub -signature sig.der pae.bin',
  ]
}

export const NO_KEY_TO_FETCH = '# this receipt is unsigned: there is no key to fetch'

const PUBLIC_KEY_URL = /^(?:https?:\/\/[A-Za-z0-9.:[\]-]{1,300})?\/[A-Za-z0-9/._-]{0,300}(?:\?keyid=[0-9a-f]{64})?$/

/** Null for a URL that needs more quoting than it gets. Where the origin is not known the reader sets one. */
export function fetchKeyCommand(publicKeyUrl: string): string | null {
  if (!PUBLIC_KEY_URL.test(publicKeyUrl)) return null
  return `curl -fsS ${publicKeyUrl.startsWith('/') ? `"$ORCH_BASE_URL${publicKeyUrl}"` : `'${publicKeyUrl}'`} -o cosign.pub`
}

/** Whether the commands in a file are those that follow from its bytes. */
export function areOfflineSteps(
  claim: unknown,
  publicKeyUrl: unknown,
  commands: readonly [string, string],
  isSigned: boolean,
): boolean {
  if (!Array.isArray(claim) || claim.length !== 3 || typeof publicKeyUrl !== 'string') return false
  const first = isSigned ? fetchKeyCommand(publicKeyUrl) : NO_KEY_TO_FETCH
  return claim[0] === first && claim[1] === commands[0] && claim[2] === commands[1]
}

const decode = (base64: string, file: string): string => `printf '%s' '${base64}' | openssl base64 -d -A > ${file}`
