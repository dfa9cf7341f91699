/** The full proof of a stored ledger, as an outsider with the log key would make it: every link, every signature, the ring
 *  and the newest signed checkpoint. */
import { ChainWalker, describeBreak, EMPTY_RECORD, hexEncode } from '@orch/core'
import { ownCheckpoint } from '../checkpoints.ts'
import type { LedgerReader } from '../contract.ts'
import { rootHexAt, rowsBetween } from '../export.ts'
import { NO_RECORD, recordReader, ringFault, steadyRing } from './own-record.ts'
import { Signatures } from './signatures.ts'

export interface Proven {
  size: number
  root: string
  signed: number
  unsigned: number
  /** How many receipts the newest checkpoint covers; null where there is none. */
  checkpoint: number | null
}

/** What does not hold, with its place; as against a store that does not answer. */
export class NotProven extends Error {}

export async function proveLedger(
  reader: LedgerReader,
  vkey: string | null,
  onProgress: (done: number, size: number) => void = () => undefined,
): Promise<Proven> {
  const { size } = await reader.head()
  const note = await reader.checkpoint()
  const checkpoint = note === null || vkey === null ? null : await ownCheckpoint(note.note, vkey)
  if (note !== null && checkpoint === null) throw new NotProven('the newest checkpoint was not signed by this log')
  if (checkpoint !== null && checkpoint.size > size)
    throw new NotProven(`the log signed ${checkpoint.size} receipts, the store holds ${size}`)
  const signatures = await signaturesOf(reader, vkey)
  const walker = new ChainWalker()
  let signed = 0
  for await (const row of rowsBetween(reader, 0, size)) {
    const { nodeIndex, body, digest, prev, lake } = row
    // Before any log key met it there is no record: an import was held to its own file.
    const found = signatures?.of(row) ?? (row.signature === null ? 'declared' : 'valid')
    const fault = walker.push({
      ...{ node_index: nodeIndex, body, digest, prev, lake },
      signature_valid: found !== 'invalid',
      signature_missing: found === 'missing',
    })
    if (fault !== null) throw new NotProven(`receipt ${nodeIndex} is broken: ${describeBreak(fault)}`)
    if (row.signature !== null) signed += 1
    if (nodeIndex + 1 === checkpoint?.size && walker.finish().root !== hexEncode(checkpoint.root))
      throw new NotProven(`the first ${checkpoint.size} receipts do not have the root that the log signed`)
    onProgress(nodeIndex + 1, size)
  }
  const { root } = walker.finish()
  const stored = await rootHexAt(reader, size)
  if (root !== stored) throw new NotProven(`the receipts add up to ${root}, the tree says ${stored}`)
  return { size, root, signed, unsigned: size - signed, checkpoint: checkpoint?.size ?? null }
}

async function signaturesOf(reader: LedgerReader, vkey: string | null): Promise<Signatures | null> {
  if (vkey === null) return null
  const { keys, record } = await steadyRing(
    () => reader.keys(),
    recordReader((name) => reader.meta(name), vkey),
  )
  const fault = record === null ? NO_RECORD : ringFault(keys, record)
  if (fault !== null) throw new NotProven(fault)
  return new Signatures(record ?? EMPTY_RECORD, keys)
}
