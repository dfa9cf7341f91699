// Names what was put in before it is judged, and lists the keys that came with it. They are offered, never used unasked.

import {
  type EvidenceKind,
  importPublicKey,
  type PublicKey,
  readHeaderLine,
  recognise,
  strictJsonOrNull,
} from '@orch/core'

export type OfferedKey = { key: PublicKey; calledDemo: boolean }
export type Recognised = { kind: EvidenceKind; offered: OfferedKey[]; saysDemo: boolean }

/** The first line decides, as it does for the verifier. `whole` says whether the piece is all there is. */
export function ledgerHeaderLine(firstPiece: string, whole: boolean): string | null {
  const end = firstPiece.indexOf('\n')
  if (end < 0 && !whole) return null
  const line = end < 0 ? firstPiece : firstPiece.slice(0, end)
  return line.startsWith('{"checkpoint":') && recognise(strictJsonOrNull(line)) === 'ledger-export' ? line : null
}

export function recogniseLedger(headerLine: string): Recognised {
  const keys: unknown = readHeaderLine(headerLine)?.keys
  const offered = keysAmong(keys)
  return { kind: 'ledger-export', offered, saysDemo: offered.some(({ calledDemo }) => calledDemo) }
}

export function recogniseText(text: string): Recognised {
  const value = strictJsonOrNull(text)
  const offered = keysAmong(fieldOf(fieldOf(value, 'pack'), 'public_keys'))
  const kinds = [fieldOf(value, 'key_kind'), fieldOf(fieldOf(value, 'signature'), 'key_kind')]
  const saysDemo = kinds.includes('demo') || offered.some(({ calledDemo }) => calledDemo)
  return { kind: recognise(value), offered, saysDemo }
}

const MAX_OFFERED = 8

/** The id is recomputed from the key: the file may call it anything. */
function keysAmong(list: unknown): OfferedKey[] {
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_OFFERED).flatMap((entry) => {
    // An export and a pack spell the field differently.
    const pem = fieldOf(entry, 'pem') ?? fieldOf(entry, 'public_key_pem')
    const key = typeof pem === 'string' ? importPublicKey(pem) : null
    return key ? [{ key, calledDemo: fieldOf(entry, 'kind') === 'demo' }] : []
  })
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
