// The ledger export, put together from what the service hands out receipt by receipt and walked on the way: an export
// that breaks is never written to its end.
import type { Client } from '@orch/client'
import {
  base64Decode,
  ChainWalker,
  describeBreak,
  footerLine,
  GENESIS_PREV,
  headerLine,
  hexEncode,
  lakeHash,
  parseCheckpoint,
  parseNote,
  parseVkey,
  receiptLine,
  sha256Hex,
} from '@orch/core'
import { CliError, EXIT } from './exit.ts'

/** Requests under way at a time. */
const ABREAST = 16

export async function* exportLines(
  client: Client,
  onProgress: (done: number, total: number) => void,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const note = await client.call('log.checkpoint', {}, { signal })
  const { keys, log_vkey } = await client.call('keys.list', {}, { signal })
  const checkpoint = parseCheckpoint(parseNote(note)?.text ?? '')
  if (!checkpoint) throw broken('the service gave no readable checkpoint')
  const { size } = checkpoint
  const root = hexEncode(checkpoint.root)
  const exported = keys.map(({ keyid, kind, public_key_pem: pem }) => ({ keyid, kind, pem }))
  yield headerLine({
    origin: parseVkey(log_vkey)?.name ?? checkpoint.origin,
    size,
    root,
    checkpoint: note,
    keys: exported,
  })
  const walker = new ChainWalker()
  const lakes = new Map<string, string>()
  for await (const record of records(client, size, signal)) {
    yield lineOf(record, walker, lakes)
    onProgress(record.node_index + 1, size)
  }
  const { broken: fault } = walker.finish({ size, root })
  if (fault) throw broken(describeBreak(fault))
  yield footerLine({ count: size, root })
}

const broken = (sentence: string): CliError => new CliError(EXIT.failed, `the ledger does not hold: ${sentence}`)

type Receipt = Awaited<ReturnType<typeof fetchReceipt>>

const fetchReceipt = (client: Client, digest: string, signal: AbortSignal) =>
  client.call('receipts.get', { params: { digest } }, { signal })

/** In the order of the log, with a bounded number of requests ahead of it. */
async function* records(client: Client, size: number, signal: AbortSignal): AsyncGenerator<Receipt> {
  if (size === 0) return
  const ahead: Promise<Receipt>[] = []
  for await (const { event, id, data } of client.events({ after: -1, signal })) {
    if (event === 'reset') continue
    const next = fetchReceipt(client, (data as { digest: string }).digest, signal)
    // Awaited in its turn; until then a failure must not count as unhandled.
    next.catch(() => undefined)
    ahead.push(next)
    if (ahead.length >= ABREAST || id >= size - 1) yield (await ahead.shift()) as Receipt
    if (id >= size - 1) break
  }
  signal.throwIfAborted()
  for (const one of ahead) yield await one
}

/** The lake hash is computed from the bytes here, not copied from the service. */
function lineOf({ node_index, dsse }: Receipt, walker: ChainWalker, lakes: Map<string, string>): string {
  const body = base64Decode(dsse.payload)
  if (!body) throw broken(`receipt ${node_index} has no readable bytes`)
  const fault = walker.push({ node_index, body })
  if (fault) throw broken(describeBreak(fault))
  const { chain, seq, time } = walker.last!
  const prev_hash = lakes.get(chain) ?? GENESIS_PREV
  const place = { organ: chain, chain_index: seq + 1, prev_hash }
  const lake = lakeHash({ ...place, receipt_digest: sha256Hex(body), ts_utc: time })
  lakes.set(chain, lake)
  const [signed] = dsse.signatures
  const signature = signed ? base64Decode(signed.sig) : null
  return receiptLine({ node_index, body, signature, keyid: signature ? signed!.keyid : null, lake })
}
