// What somebody without the key can do to the receipt lines of a ledger export.
import {
  appendLeaf,
  canonicalBytes,
  emptyFrontier,
  footerLine,
  frontierRoot,
  GENESIS_PREV,
  headerLine,
  hexEncode,
  type LedgerExportReceipt,
  lakeHash,
  leafHash,
  organOf,
  type ReceiptBody,
  readHeaderLine,
  readReceiptLine,
  receiptLine,
  sha256Hex,
  utf8Decode,
} from '../../core/src/index.ts'

type Attack = (lines: readonly string[], at: number) => { tampered: string[]; brokenAt: number }

/** Each with the index that is then the first wrong one. The last receipt has no next one to change places with. */
export const LINE_ATTACKS: Record<string, Attack> = {
  alter: (lines, at) => ({ tampered: lines.with(at, altered(lines[at]!)), brokenAt: at }),
  delete: (lines, at) => ({ tampered: lines.toSpliced(at, 1), brokenAt: at }),
  swap: (lines, at) => ({ tampered: lines.with(at, lines[at + 1]!).with(at + 1, lines[at]!), brokenAt: at }),
  duplicate: (lines, at) => ({ tampered: lines.toSpliced(at, 0, lines[at]!), brokenAt: at + 1 }),
  insert: (lines, at) => ({ tampered: lines.toSpliced(at, 0, lines[(at + 500) % lines.length]!), brokenAt: at }),
}

/** The decision is turned round and everything else left as it was. */
function altered(line: string): string {
  const receipt = readReceiptLine(line)!
  return receiptLine({ ...receipt, body: canonicalBytes(turned(bodyOf(receipt))) })
}

const bodyOf = ({ body }: LedgerExportReceipt) => JSON.parse(utf8Decode(body)!) as ReceiptBody
const turned = (body: ReceiptBody): ReceiptBody => {
  const payload = body.payload as { decision: string }
  return { ...body, payload: { ...payload, decision: payload.decision === 'ALLOW' ? 'DENY' : 'ALLOW' } }
}

/** The whole file again with one decision turned round and every digest, link and root after it made to fit. The
 *  signatures stay what they were: nobody can make others. */
export function rehashedForward(file: readonly string[], from: number): string[] {
  const header = readHeaderLine(file[0]!)!
  const heads = new Map<string, { digest: string; lake: string }>()
  let frontier = emptyFrontier()
  const lines = file.slice(1, -1).map((line, at) => {
    const receipt = readReceiptLine(line)!
    const read = at === from ? turned(bodyOf(receipt)) : bodyOf(receipt)
    const organ = organOf(read.ns, read.chain)
    const { digest: prev, lake: prev_hash } = heads.get(organ) ?? { digest: GENESIS_PREV, lake: GENESIS_PREV }
    const body = canonicalBytes({ ...read, prev })
    const digest = sha256Hex(body)
    const { seq, ts_utc } = read
    const lake = lakeHash({ organ, chain_index: seq + 1, prev_hash, receipt_digest: digest, ts_utc })
    heads.set(organ, { digest, lake })
    frontier = appendLeaf(frontier, leafHash(body))
    return receiptLine({ ...receipt, body, lake })
  })
  const root = hexEncode(frontierRoot(frontier))
  return [headerLine({ ...header, root }), ...lines, footerLine({ count: lines.length, root })]
}
