/** One piece of a walk: the rows up to the end of a tile of the tree, whose leaves they are compared with. */
import { hexEncode, organOf, sha256Hex, TILE_WIDTH, type WalkedChain } from '@orch/core'
import type { LedgerReader, Row } from '../contract.ts'
import type { SignatureFinding } from './signatures.ts'
import type { AuditWalk } from './walk.ts'

type SliceReader = Pick<LedgerReader, 'range' | 'tile' | 'head' | 'bySeq'>

/** `signatures` is asked for after the rows were read: what was recorded with them is then in the record. */
export async function walkSlice(
  reader: SliceReader,
  walk: AuditWalk,
  signatures: () => Promise<(row: Row) => SignatureFinding>,
): Promise<void> {
  const index = Math.floor(walk.at / TILE_WIDTH)
  const end = (index + 1) * TILE_WIDTH
  const { size } = await reader.head()
  if (walk.at >= size) return
  const rows = (await reader.range(walk.at, end - walk.at)).filter(({ nodeIndex }) => nodeIndex < end)
  const tile = await reader.tile(0, index)
  const signatureOf = await signatures()
  if (walk.from > 0) walk.enter(await begunBefore(reader, walk, rows))
  for (const row of rows) walk.take({ row, leaf: leafOf(tile, row), signature: signatureOf(row) })
  walk.missUpTo(Math.min(end, size))
}

function leafOf(tile: Uint8Array | null, { nodeIndex }: Row): string | null {
  const at = (nodeIndex % TILE_WIDTH) * 32
  return tile === null || tile.length < at + 32 ? null : hexEncode(tile.subarray(at, at + 32))
}

/** Chains that began before the walk did: their first row in it must follow the receipt before, as its bytes are now. */
async function begunBefore(reader: SliceReader, walk: AuditWalk, rows: readonly Row[]): Promise<WalkedChain[]> {
  const firsts = new Map<string, Row>()
  for (const row of rows) {
    const organ = organOf(row.ns, row.chain)
    if (!firsts.has(organ) && !walk.knows(organ)) firsts.set(organ, row)
  }
  const begun = [...firsts.values()].filter(({ seq }) => seq > 0)
  const befores = await Promise.all(begun.map(({ ns, chain, seq }) => reader.bySeq(ns, chain, seq - 1)))
  return befores.flatMap((row) =>
    row === null
      ? []
      : [
          {
            chain: organOf(row.ns, row.chain),
            depth: row.seq + 1,
            head_digest: sha256Hex(row.body),
            lake_head: row.lake,
          },
        ],
  )
}
