/** Texts of one session read as one: what is harmless in each half may be an attack across the joint. A word may be cut
 *  there as well as a sentence, so the halves are read with a blank between them and without. */
import { type Confusables, skeletonOf } from './confusables.ts'
import { type MappedText, MappedWriter, partOf } from './mapped-text.ts'
import { int32s } from './slab.ts'

export interface Joint {
  mapped: MappedText
  /** Units before this one come from earlier texts. */
  ownFrom: number
  skeleton: boolean
}

export const SESSION_TAIL = 256
/** Where two remembered texts meet. Folding removes control characters, so no text can bring one along. */
const SEAM = '\u001f'
/** Of this text, as far as a phrase that began in an earlier one may reach. */
const REACH = 2048

/** What the session remembers of a text: never more than the tail, never on disk. */
export function sessionTailAfter(tail: string, folded: string): string {
  const seam = tail === '' ? '' : SEAM
  return [...`${tail.slice(-2 * SESSION_TAIL)}${seam}${folded.slice(-2 * SESSION_TAIL)}`].slice(-SESSION_TAIL).join('')
}

export function joinedWithTail(sessionTail: string, folded: MappedText, table: Confusables): Joint[] {
  if (sessionTail === '') return []
  const tail = [...sessionTail].slice(-SESSION_TAIL).join('')
  const [parted, glued] = [tail.replaceAll(SEAM, ' '), tail.replaceAll(SEAM, '')]
  const near = partOf(folded, 0, REACH)
  const spelled = [...new Set([`${parted} `, parted, glued])]
  return spelled.flatMap((before, at) => [
    joint(tailText(before), at === 0 ? folded : near, false),
    joint(skeletonOf(tailText(before), table), skeletonOf(near, table), true),
  ])
}

/** Of either text, as far as a phrase across the seam reaches: no phrase of a rule has more words than stand in it. */
export const SEAM_REACH = 256

/** The end of one text and the beginning of the next, which somebody else wrote; both keep their own places. */
export function seamJoints(before: MappedText, after: MappedText): Joint[] {
  const parted = trimmed(before, after)
  const blank = {
    text: ' ',
    startOffsets: parted.before.endOffsets.slice(-1),
    endOffsets: parted.before.endOffsets.slice(-1),
  }
  if (parted.before.text === '' || parted.after.text === '') return []
  const glued = joint(parted.before, parted.after, false)
  return [joint(joint(parted.before, blank, false).mapped, parted.after, false), glued]
}

function trimmed(before: MappedText, after: MappedText): { before: MappedText; after: MappedText } {
  const end = before.text.trimEnd().length
  const begin = after.text.length - after.text.trimStart().length
  return { before: partOf(before, 0, end), after: partOf(after, begin, after.text.length) }
}

const tailText = (text: string): MappedText => ({
  text,
  startOffsets: int32s(text.length),
  endOffsets: int32s(text.length),
})

function joint(tail: MappedText, own: MappedText, skeleton: boolean): Joint {
  const writer = new MappedWriter(tail.text.length + own.text.length)
  for (const part of [tail, own])
    for (let unit = 0; unit < part.text.length; unit++)
      writer.unit(part.text.charCodeAt(unit), part.startOffsets[unit] as number, part.endOffsets[unit] as number)
  return { mapped: writer.done(), ownFrom: tail.text.length, skeleton }
}
