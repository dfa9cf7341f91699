/** A text as its interpreter reads it, where what the interpreter drops was put in between to hide a word: comments in SQL,
 *  quoting inside the word of a shell. Places in the rewritten text are told as places in the text itself. */
import { stringOf } from '../../text/mapped-text.ts'
import { int32s, uint16s } from '../../text/slab.ts'

interface Rewritten {
  text: string
  /** Where in the text itself a part of the rewritten one stands. */
  placed<Part extends { from: number; to: number }>(part: Part): Part
  /** Whether something was dropped inside the part. */
  isChanged(part: { from: number; to: number }): boolean
}

/** A part that is left out, and what stands there instead. */
export interface Dropped {
  from: number
  to: number
  instead: '' | ' '
}

const BLANK = 32

/** The parts ascend, are not empty and do not overlap. */
export function rewrittenText(source: string, dropped: readonly Dropped[]): Rewritten {
  const places = int32s(source.length)
  const units = uint16s(source.length)
  let [size, next] = [0, 0]
  for (let at = 0; at < source.length; at++) {
    const part = dropped[next]
    const isDropped = part !== undefined && at === part.from
    if (!isDropped || part.instead !== '') {
      units[size] = isDropped ? BLANK : source.charCodeAt(at)
      places[size++] = at
    }
    if (!isDropped) continue
    at = part.to - 1
    next++
  }
  const placeOf = (at: number): number => places[at] as number
  const isChanged = ({ from, to }: { from: number; to: number }): boolean =>
    placeOf(to - 1) + 1 - placeOf(from) !== to - from
  return {
    text: stringOf(units.subarray(0, size)),
    placed: (part) => ({ ...part, from: placeOf(part.from), to: placeOf(part.to - 1) + 1 }),
    isChanged,
  }
}
