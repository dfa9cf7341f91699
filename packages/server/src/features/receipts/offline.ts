/** The three commands of an export. They carry the bytes themselves and need a shell, curl and openssl: nothing they
 *  check is asked of this service but its public key, which a careful reader has from elsewhere already. */
import { fetchKeyCommand, NO_KEY_TO_FETCH, offlineCommands } from '@orch/core'
import type { ShownReceipt } from '../../domain/receipt-view.ts'

export type OfflineSteps = [string, string, string]

export function offlineSteps(receipt: ShownReceipt | null, publicKeyUrl: string): OfflineSteps {
  if (receipt === null)
    return [
      '# the ledger is empty: there is no key to fetch yet',
      '# the ledger is empty: there is no payload to decode',
      '# the ledger is empty: there is no signature to verify',
    ]
  const { body, signature, digest } = receipt
  const first = signature === null ? NO_KEY_TO_FETCH : fetchKeyCommand(publicKeyUrl)
  return [first ?? '# fetch the public key of this service as cosign.pub', ...offlineCommands(body, signature, digest)]
}
