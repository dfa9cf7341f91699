/** The files of a receipt, and the lines that check them with other people's tools. */
import { base64Decode, base64urlEncode, utf8Encode } from '@orch/core'
import { download } from '../../data/download.ts'
import type { ReceiptRecord } from '../../data/verify-here.ts'

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Bytes that a Blob takes, whatever memory they lie in. */
const blobBytes = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes)

const receiptFile = ({ digest }: ReceiptRecord): string => `receipt-${digest.slice(0, 12)}.json`

const signatureOf = ({ dsse }: ReceiptRecord): Uint8Array | null => {
  const [first] = dsse.signatures as { sig?: unknown }[]
  return typeof first?.sig === 'string' ? base64Decode(first.sig) : null
}

/** What can be saved, by the name on its button. */
export function filesOf(
  record: ReceiptRecord,
  keyPem: string | null,
): readonly (readonly [name: string, save: () => void])[] {
  const pae = base64Decode(record.pae_b64)
  const signature = signatureOf(record)
  return [
    ['Receipt', () => download(receiptFile(record), pretty(record))],
    ['Envelope', () => download(`envelope-${record.digest.slice(0, 12)}.json`, pretty(record.dsse))],
    ...(pae === null ? [] : [['PAE', () => download('pae.bin', blobBytes(pae), OCTETS)] as const]),
    ...(signature === null ? [] : [['Signature', () => download('sig.der', blobBytes(signature), OCTETS)] as const]),
    ...(keyPem === null ? [] : [['Key', () => download('cosign.pub', keyPem, 'application/x-pem-file')] as const]),
  ]
}

const OCTETS = 'application/octet-stream'

/** They run in the folder that the files above were saved to. */
export function shellLines(record: ReceiptRecord): readonly string[] {
  const file = receiptFile(record)
  if (signatureOf(record) === null) return [`orch verify --allow-unsigned ${file}`]
  return [
    'openssl dgst -sha256 -verify cosign.pub \\\n  -signature sig.der pae.bin',
    'openssl base64 -A -in sig.der -out sig.b64 && cosign verify-blob --key cosign.pub \\\n  --insecure-ignore-tlog=true --signature sig.b64 pae.bin',
    `orch verify ${file} --key cosign.pub`,
  ]
}

/** The receipt travels in the part of the address that no server sees. */
export const verifyLink = (record: ReceiptRecord): string =>
  `/verify#r=${base64urlEncode(utf8Encode(JSON.stringify(record)))}`
