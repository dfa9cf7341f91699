/** Every key and every string of a context is text an attacker may have written. */
import type { Piece } from '../gates/scan.ts'
import { decodeAllowance } from '../text/children.ts'
import type { Confusables } from '../text/confusables.ts'
import { normalise } from '../text/normalise.ts'

const MAX_DEPTH = 64
/** A key that is plainly a name is shown in a pointer. Any other may be the very value that was found, and pointers go
 *  into receipts: it is told by its place among the keys of its object. */
const NAME = /^[A-Za-z][A-Za-z_-]{0,23}$/

export function piecesOf(text: string, context: unknown, sessionTail: string, table: Confusables): Piece[] {
  const inContext = leaves(context, '', '', 0)
  const allowance = decodeAllowance([text, ...inContext.map((leaf) => leaf.text)])
  const own: Piece = { pointer: null, label: '', normalised: normalise(text, table, sessionTail, allowance) }
  return [
    own,
    ...inContext.map(({ pointer, label, text: leaf }) => ({
      pointer,
      label,
      normalised: normalise(leaf, table, '', allowance),
    })),
  ]
}

interface Leaf {
  pointer: string
  label: string
  text: string
}

function leaves(value: unknown, pointer: string, label: string, depth: number): Leaf[] {
  if (depth > MAX_DEPTH) throw new RangeError('a context nested deeper than any that is accepted')
  if (typeof value === 'string') return value === '' ? [] : [{ pointer, label, text: value }]
  if (typeof value === 'number') return [{ pointer, label, text: String(value) }]
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, `${pointer}/${at}`, label, depth + 1))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item], at) => {
    const place = `${pointer}/${NAME.test(key) ? key : `*${at}`}`
    return [{ pointer: place, label: '', text: key }, ...leaves(item, place, key, depth + 1)]
  })
}
