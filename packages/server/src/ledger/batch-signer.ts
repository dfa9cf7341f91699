import { pae, RECEIPT_PAYLOAD_TYPE } from '@orch/core'
import type { KeyKind } from './contract.ts'
import type { Placed } from './types.ts'

/** Signs a batch. Resolves with one signature per message, or null for all when there is no key; rejects when a
 *  configured signer cannot sign. */
export interface BatchSigner {
  key(): { keyid: string; kind: KeyKind } | null
  sign(messages: readonly Uint8Array[]): Promise<readonly (Uint8Array | null)[]>
}

/** By position in the batch. What is unsigned by choice never reaches the signer, so nobody can be asked for it. */
export async function signaturesOf(
  signer: BatchSigner,
  placed: readonly Placed[],
): Promise<readonly (Uint8Array | null)[]> {
  const due = placed.filter((row) => !row.unsigned)
  if (due.length === 0) return placed.map(() => null)
  const made = await signer.sign(due.map(({ body }) => pae(RECEIPT_PAYLOAD_TYPE, body)))
  if (due.length === placed.length) return made
  const byRow = new Map(due.map((row, at) => [row, made[at] ?? null]))
  return placed.map((row) => byRow.get(row) ?? null)
}
