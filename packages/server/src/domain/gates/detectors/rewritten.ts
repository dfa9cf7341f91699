/** A text as its interpreter reads it, where what the interpreter drops was put in between to hide a word: comments in SQL,
 *  quoting inside the word of a shell. Places in the rewritten text are told as places in the text itself. */
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

/** The parts ascend and do not overlap. */
export function rewrittenText(source: string, dropped: readonly Dropped[]): Rewritten {
  const places = new Int32Array(source.length)
  const pieces: string[] = []
  let size = 0
  const keep = (from: number, to: number): void => {
    pieces.push(source.slice(from, to))
    for (let at = from; at < to; at++) places[size++] = at
  }
  let end = 0
  for (const { from, to, instead } of dropped) {
    keep(end, from)
    if (instead !== '') places[size++] = from
    pieces.push(instead)
    end = to
  }
  keep(end, source.length)
  const placeOf = (at: number): number => places[at] as number
  const isChanged = ({ from, to }: { from: number; to: number }): boolean =>
    placeOf(to - 1) + 1 - placeOf(from) !== to - from
  return {
    text: pieces.join(''),
    placed: (part) => ({ ...part, from: placeOf(part.from), to: placeOf(part.to - 1) + 1 }),
    isChanged,
  }
}
