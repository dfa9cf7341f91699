/** The views of one text. A rule that looks only at the text as received is passed by one zero-width space. */
import { type Child, type DecodeAllowance, decodeAllowance, decodedChildren } from './children.ts'
import { type Confusables, skeletonOf } from './confusables.ts'
import { collapsedOf, loweredOf, plainOf } from './fold.ts'
import { type MappedText, rawText } from './mapped-text.ts'
import { rot13Of } from './rot13.ts'
import { mixedScriptWords } from './scripts.ts'
import { type Joint, joinedWithTail } from './session-text.ts'

export type ViewName = 'raw' | 'folded' | 'skeleton' | 'decoded' | 'rot13' | 'session'

export interface View {
  name: ViewName
  /** How a decoded text was carried, outermost encoding first. */
  path: string[]
  mapped: MappedText
  /** The same text before its case was folded and its lines drawn together; the mapped text itself where neither was. */
  plain: MappedText
  /** What rules about values read: white space drawn together, case kept. */
  values: MappedText
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

export const NORMALISER = 'orch.normalise/v1'

export function normalise(
  text: string,
  table: Confusables,
  sessionTail = '',
  allowance: DecodeAllowance = decodeAllowance([text]),
): Normalised {
  const raw = rawText(text)
  const plain = plainOf(raw)
  const values = collapsedOf(plain)
  const folded = loweredOf(values)
  const { children, bounded } = decodedChildren(raw, plain, allowance)
  const decoded = children.flatMap((child) => decodedViews(child, table))
  return {
    raw,
    views: [
      view('raw', raw),
      view('folded', folded, plain, values),
      view('skeleton', skeletonOf(folded, table)),
      ...decoded,
      view('rot13', rot13Of(folded)),
      ...joinedWithTail(sessionTail, folded, table).map(sessionView),
    ],
    folded: folded.text,
    invisibleAt: plain.invisibleAt,
    invisible: plain.invisibleAt.length,
    mixedScriptWords: mixedScriptWords(plain.visible),
    decodedChildren: children.length,
    decodeBound: bounded || plain.cut,
  }
}

function view(name: ViewName, mapped: MappedText, plain = mapped, values = plain, path: string[] = []): View {
  return { name, path, mapped, plain, values, ownFrom: 0, skeleton: name === 'skeleton' }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins at NUL
const BEYOND_ASCII = /[^\u0000-\u007f]/

/** A carried text may hide behind look-alikes as well. */
function decodedViews({ plain, path }: Child, table: Confusables): View[] {
  const values = collapsedOf(plain)
  const folded = view('decoded', loweredOf(values), plain, values, path)
  if (!BEYOND_ASCII.test(plain.text)) return [folded]
  return [folded, { ...folded, mapped: skeletonOf(folded.mapped, table), skeleton: true }]
}

const sessionView = ({ mapped, ownFrom, skeleton }: Joint): View => ({ ...view('session', mapped), ownFrom, skeleton })
