/** The three commands of an export. They carry the bytes themselves and need a shell, curl and openssl: nothing they
 *  check is asked of this service but its public key, which a careful reader has from elsewhere already. */
import { base64Encode } from '@orch/core'
import { receiptPae, type ShownReceipt } from '../../domain/receipt-view.ts'

export type OfflineSteps = [string, string, string]

/** Base64 and hex need no quoting inside single quotes, nor does an origin; where none is known the reader sets one. */
export function offlineSteps(
  receipt: ShownReceipt | null,
  { origin, keyPath }: { origin: string | null; keyPath: string },
): OfflineSteps {
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
    `curl -fsS ${origin === null ? `"$ORCH_URL${keyPath}"` : `'${origin}${keyPath}'`} -o cosign.pub`,
    `${decode(base64Encode(receiptPae(receipt)), 'pae.bin')} && ${decode(base64Encode(receipt.signature), 'sig.der')}`,
    'openssl dgst -sha256 -verify cosign.pub -signature sig.der pae.bin',
  ]
}

const decode = (base64: string, file: string): string => `printf '%s' '${base64}' | openssl base64 -d -A > ${file}`
