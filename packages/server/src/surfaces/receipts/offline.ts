/** The three commands of an export. They carry the bytes themselves and need a shell, curl and openssl: nothing they
 *  check is asked of this service but its public key, which a careful reader has from elsewhere already. */
import { base64Encode } from '@orch/core'
import { receiptPae, type ShownReceipt } from '../../domain/receipt-view.ts'

export type OfflineSteps = [string, string, string]

/** Base64 and hex need no quoting inside single quotes; the address was checked to be one. */
export function offlineSteps(receipt: ShownReceipt | null, keyUrl: string): OfflineSteps {
  if (receipt === null)
    return [
      '# the ledger is empty: there is no key to fetch yet',
      '# the ledger is empty: there is no payload to decode',
      '# the ledger is empty: there is no signature to verify',
    ]
  if (receipt.signature === null)
    return [
      '# this receipt is unsigned: there is no key to fetch',
      decode(base64Encode(receipt.body), 'receipt.json'),
      `openssl dgst -sha256 receipt.json # must print ${receipt.digest}`,
    ]
  return [
    `curl -fsS '${keyUrl}' -o cosign.pub`,
    `${decode(base64Encode(receiptPae(receipt)), 'pae.bin')} && ${decode(base64Encode(receipt.signature), 'sig.der')}`,
    'openssl dgst -sha256 -verify cosign.pub -signature sig.der pae.bin',
  ]
}

const decode = (base64: string, file: string): string => `printf '%s' '${base64}' | openssl base64 -d -A > ${file}`

const HOST = /^(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?)(?::\d{1,5})?$/i
const NUMERIC = /^(?:\[|localhost(?::|$)|\d{1,3}(?:\.\d{1,3}){3}(?::|$))/i

/** The address the caller reached us at. The header is the caller’s, and it ends up in a shell: anything but a plain
 *  host and port becomes a relative address. A name is taken to be behind TLS, an address literal is not. */
export function originOf(host: string | string[] | undefined): string {
  if (typeof host !== 'string' || !HOST.test(host)) return ''
  return `${NUMERIC.test(host) ? 'http' : 'https'}://${host}`
}
