/** A text as its interpreter reads it, where what the interpreter drops was put in between to hide a word: comments in SQL,
 *  quoting inside the word of a shell. Places in the rewritten text are told as places in the text itself. */
import { firstPlace } from '../../text/mapped-text.ts'

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

/** The parts ascend, are not empty and do not overlap. */
export function rewrittenText(source: string, dropped: readonly Dropped[]): Rewritten {
  const retained: string[] = []
  /** For each part that is left out, where in the rewritten text what follows it begins. */
  const begins: number[] = []
  let [size, from] = [0, 0]
  for (const part of dropped) {
    if (from < part.from) retained.push(source.slice(from, part.from))
    if (part.instead !== '') retained.push(part.instead)
    size += part.from - from + part.instead.length
    begins.push(size)
    from = part.to
  }
  retained.push(source.slice(from))
  /** What stands instead of a part stands where the part begins. */
  const placeOf = (at: number): number => {
    const before = firstPlace(begins.length, (n) => (begins[n] as number) > at) - 1
    return before < 0 ? at : dropped[before]!.to + at - begins[before]!
  }
  const isChanged = ({ from, to }: { from: number; to: number }): boolean =>
    placeOf(to - 1) + 1 - placeOf(from) !== to - from
  return {
    text: retained.join(''),
    placed: (part) => ({ ...part, from: placeOf(part.from), to: placeOf(part.to - 1) + 1 }),
    isChanged,
  }
}
