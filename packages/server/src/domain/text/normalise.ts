// The views of one text. A rule that looks only at the text as received is passed by one zero-width space.

import { type Child, decodedChildren } from './children.ts'
import { type Confusables, skeletonOf } from './confusables.ts'
import { foldedOf, plainOf } from './fold.ts'
import { type MappedText, MappedWriter, rawText } from './mapped-text.ts'
import { rot13Of } from './rot13.ts'
import { mixedScriptWords } from './scripts.ts'

export type ViewName = 'raw' | 'folded' | 'skeleton' | 'decoded' | 'rot13' | 'session'

export interface View {
  name: ViewName
  /** How a decoded text was carried, outermost encoding first. */
  path: string[]
  mapped: MappedText
  /** The same text before its case was folded, for rules about values; the mapped text itself where case was kept. */
  plain: MappedText
  /** Look-alikes are already one letter here, so rule words are compared in the same spelling. */
  skeleton: boolean
  /** Units before this one come from earlier texts of the session. */
  ownFrom: number
}

export interface Normalised {
  raw: MappedText
  views: View[]
  /** Folded, for the session memory. */
  folded: string
  invisibleAt: number[]
  invisible: number
  mixedScriptWords: number
  decodedChildren: number
  decodeBound: boolean
}

export const SESSION_TAIL = 256
export const NORMALISER = 'orch.normaliser/v1'

export function normalise(text: string, table: Confusables, sessionTail = ''): Normalised {
  const raw = rawText(text)
  const plain = plainOf(raw)
  const folded = foldedOf(plain)
  const { children, bounded } = decodedChildren(raw, plain)
  const decoded = children.flatMap((child) => decodedViews(child, table))
  return {
    raw,
    views: [
      view('raw', raw),
      view('folded', folded, plain),
      view('skeleton', skeletonOf(folded, table)),
      ...decoded,
      view('rot13', rot13Of(folded)),
      ...sessionView(sessionTail, folded),
    ],
    folded: folded.text,
    invisibleAt: plain.invisibleAt,
    invisible: plain.invisibleAt.length,
    mixedScriptWords: mixedScriptWords(plain.visible),
    decodedChildren: children.length,
    decodeBound: bounded,
  }
}

/** What the session remembers of a text: never more than the tail, never on disk. */
export function sessionTailAfter(tail: string, folded: string): string {
  return [...`${tail.slice(-2 * SESSION_TAIL)} ${folded.slice(-2 * SESSION_TAIL)}`].slice(-SESSION_TAIL).join('')
}

function view(name: ViewName, mapped: MappedText, plain = mapped, ownFrom = 0, path: string[] = []): View {
  return { name, path, mapped, plain, ownFrom, skeleton: name === 'skeleton' }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins at NUL
const BEYOND_ASCII = /[^\u0000-\u007f]/

/** A carried text may hide behind look-alikes as well. */
function decodedViews({ plain, path }: Child, table: Confusables): View[] {
  const folded = view('decoded', foldedOf(plain), plain, 0, path)
  if (!BEYOND_ASCII.test(plain.text)) return [folded]
  return [folded, { ...folded, mapped: skeletonOf(folded.mapped, table), skeleton: true }]
}

function sessionView(sessionTail: string, folded: MappedText): View[] {
  if (sessionTail === '') return []
  const tail = `${[...sessionTail].slice(-SESSION_TAIL).join('')} `
  const writer = new MappedWriter(tail.length + folded.text.length)
  writer.push(tail, 0, 0)
  for (let unit = 0; unit < folded.text.length; unit++)
    writer.push(folded.text.charAt(unit), folded.starts[unit] as number, folded.ends[unit] as number)
  const mapped = writer.done()
  return [view('session', mapped, mapped, tail.length)]
}
