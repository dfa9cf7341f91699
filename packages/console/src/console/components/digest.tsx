/** Digests: cut in the middle, whole on focus, copied by a press. */

import { hrefOf } from '../routing.ts'
import { useCopy } from './copy.tsx'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'

export const shortDigest = (digest: string, head = 8, tail = 6): string =>
  digest.length <= head + tail + 1 ? digest : `${digest.slice(0, head)}…${digest.slice(-tail)}`

export function Digest({ value }: { value: string }) {
  const [isCopied, copy] = useCopy()
  return (
    <button type="button" className="digest tip" data-tip={isCopied ? 'copied' : value} onClick={() => copy(value)}>
      {shortDigest(value)}
      <span className="unseen" aria-live="polite">
        {isCopied ? ' copied' : ', press to copy'}
      </span>
    </button>
  )
}

interface SignedAs {
  digest: string
  signed: boolean
  key_kind: string | null
}

const SIGNATURES = {
  demo: ['demo', 'signed by a demo key'],
  production: ['seal', 'signed by a production key'],
  unsigned: ['warn', 'unsigned'],
  unknown: ['ask', 'signed by a key of no known kind'],
} as const

const signatureOf = ({ signed, key_kind }: SignedAs) =>
  SIGNATURES[!signed ? 'unsigned' : key_kind === 'demo' || key_kind === 'production' ? key_kind : 'unknown']

export const signatureWords = (receipt: SignedAs): string => signatureOf(receipt)[1]

/** Leads to the receipt. That it is signed is what the ledger says; nothing is verified by showing it. */
export function ReceiptChip({ receipt }: { receipt: SignedAs }) {
  const [shape, words] = signatureOf(receipt)
  return (
    <Link
      className="chip"
      href={hrefOf({ page: 'receipts', id: receipt.digest })}
      title={`Receipt ${receipt.digest}, ${words}, not verified on this page`}
    >
      <Icon name={shape} />
      {shortDigest(receipt.digest, 6, 4)}
      <span className="unseen">, {words}</span>
    </Link>
  )
}
