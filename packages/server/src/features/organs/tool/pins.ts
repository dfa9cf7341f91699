/** Pins of one tenant: the definitions that it has seen and accepted, by the names of the tools. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import Type, { type Static } from 'typebox'
import { collection } from '../../../domain/collection.ts'
import { documentKey } from '../../../domain/document-key.ts'
import { closed, Hex64, Nullable } from '../../../domain/wire.ts'
import { ServiceError } from '../../../errors.ts'
import type { LedgerReader } from '../../../ledger/contract.ts'
import type { PendingWrites } from '../../../ports.ts'
import { definitionDigest, type ToolDefinition } from './tools.ts'

const MAX_PINS = 200
const SPACE = 'organ.tool-pin'

const Pin = closed({ name: Type.String(), definition_sha256: Hex64 })
type Pin = Static<typeof Pin>

const pins = collection({
  space: SPACE,
  key: ({ partition, name }: { partition: string; name: string }) => documentKey(SPACE, partition, name),
  owner: ({ partition }) => partition,
  rank: (_pin, now) => now,
  schema: Pin,
})

export type PinReader = Pick<LedgerReader, 'document' | 'documents'>

const sorted = (all: Pin[]): Pin[] => all.sort((one, other) => (one.name < other.name ? -1 : 1))

/** In the order of their names. */
export async function readPins(reader: PinReader, partition: string): Promise<Pin[]> {
  const stored = await pins.list(reader, { owner: partition, order: 'asc', limit: MAX_PINS })
  return sorted(stored.map(({ value }) => value))
}

/** Digests of the pins that a run read and left. */
export const pinsState = (before: readonly Pin[], after = before) => ({
  before_sha256: sha256Hex(canonicalBytes(before)),
  after_sha256: sha256Hex(canonicalBytes(after)),
})

/** `current_sha256` is null where there is no such tool any more. */
export const Drift = closed({ name: Type.String(), pinned_sha256: Hex64, current_sha256: Nullable(Hex64) })

export function driftOf(all: readonly Pin[], tools: readonly ToolDefinition[]): Static<typeof Drift>[] {
  const current = new Map(tools.map((tool) => [tool.name, definitionDigest(tool)]))
  return all.flatMap(({ name, definition_sha256 }) => {
    const now = current.get(name) ?? null
    return now === definition_sha256 ? [] : [{ name, pinned_sha256: definition_sha256, current_sha256: now }]
  })
}

/** The pin as it shall be, with what has to be written for it. */
export async function pinTool(
  reader: PinReader,
  partition: string,
  tool: ToolDefinition,
  now: number,
): Promise<{ previous: string | null; before: Pin[]; after: Pin[]; writes: PendingWrites }> {
  const id = { partition, name: tool.name }
  const [stored, before] = [await pins.get(reader, id), await readPins(reader, partition)]
  if (stored === null && before.length >= MAX_PINS)
    throw new ServiceError('tenant_quota_exceeded', `one tenant pins at most ${MAX_PINS} tools`)
  const pin = { name: tool.name, definition_sha256: definitionDigest(tool) }
  const counter = { space: SPACE, key: documentKey(SPACE, partition), owner: partition, add: 1, limit: MAX_PINS }
  return {
    previous: stored?.value.definition_sha256 ?? null,
    before,
    after: sorted([...before.filter(({ name }) => name !== pin.name), pin]),
    writes: { documents: [pins.write(id, stored, pin, now)], counters: stored === null ? [counter] : [] },
  }
}
