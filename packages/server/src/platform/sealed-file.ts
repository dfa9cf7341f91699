/** Data files that are committed with the code: `{schema, sha256, payload}`, where the digest is of the canonical payload.
 *  It does not keep an editor of the file from sealing it anew; it tells a file that was cut, merged or edited by hand from
 *  the one that was reviewed. */
import { canonicalize, sha256Hex } from '@orch/core'
import Type, { type Static, type TSchema } from 'typebox'
import { closed, faultText, parseStrictly, read } from './shape.ts'

/** What was read of a file: its text, or why there is none. */
type ReadFile = { present: true; text: string } | { present: false; reason: string }

/** `sha256` is the digest that the file states; null where it states none. */
type Sealed<T> =
  | { ok: true; value: T; sha256: string }
  | { ok: false; fault: string; sha256: string | null; found: string | null }

const Envelope = closed({
  schema: Type.String(),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  payload: Type.Unknown(),
})

export const sealOf = (payload: unknown): string => sha256Hex(canonicalize(payload))

/** Whether a file has the digest that it states, whatever it holds. */
export function checkSeal(file: ReadFile): { sha256: string | null; found: string | null; fault: string | null } {
  const sealed = openSeal(file)
  return sealed.ok ? { sha256: sealed.sha256, found: sealed.sha256, fault: null } : sealed
}

export function readSealed<S extends TSchema>(file: ReadFile, schema: string, payload: S): Sealed<Static<S>> {
  const sealed = openSeal(file)
  if (!sealed.ok) return sealed
  const { value, sha256 } = sealed
  if (value.schema !== schema) return { ok: false, fault: `its schema is not ${schema}`, sha256, found: sha256 }
  const shaped = read(payload, value.payload)
  if (shaped.ok) return { ok: true, value: shaped.value, sha256 }
  return { ok: false, fault: faultText(shaped.faults), sha256, found: sha256 }
}

function openSeal(file: ReadFile): Sealed<Static<typeof Envelope>> {
  if (!file.present) return { ok: false, fault: file.reason, sha256: null, found: null }
  const envelope = read(Envelope, parseStrictly(file.text))
  if (!envelope.ok)
    return { ok: false, fault: `it is no sealed data: ${faultText(envelope.faults)}`, sha256: null, found: null }
  const { sha256, payload } = envelope.value
  const found = sealOf(payload)
  if (found === sha256) return { ok: true, value: envelope.value, sha256 }
  return { ok: false, fault: 'its digest is not that of its payload', sha256, found }
}
