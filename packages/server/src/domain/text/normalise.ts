/** The views of one text. A rule that looks only at the text as received is passed by one zero-width space. */

import { canonicalOf } from './canonical.ts'
import { characterClass } from './character-class.ts'
import { type Child, type DecodeAllowance, decodeAllowance, decodedChildren } from './children.ts'
import { codePointAt } from './code-points.ts'
import { type Confusables, skeletonOf } from './confusables.ts'
import { collapsedOf, foldedOf, loweredOf, plainOf } from './fold.ts'
import { type MappedText, rawText } from './mapped-text.ts'
import { isReversed, reversedOf } from './reversed.ts'
import { looksTurned, rot13Of } from './rot13.ts'
import { type Joint, joinedWithTail, seamJoints } from './session-text.ts'
import type { WordIndex } from './word-index.ts'

export type ViewName = 'raw' | 'folded' | 'skeleton' | 'canonical' | 'decoded' | 'rot13' | 'session'

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
  /** Marks are dropped and words changed in a canonical view, of a decoded text too: it is read for words alone. */
  wordsAlone: boolean
  /** Only a view without accents and nothing more is not: what is written so is written so by habit. */
  disguised: boolean
  /** Units before this one come from earlier texts of the session, or from the text before a seam. */
  ownFrom: number
  /** Only what reaches over that unit counts: what stands behind it was read before. */
  isSeam: boolean
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

export const NORMALISER = 'orch.normalise/v2'

/** Of a text, or of what was taken out of one. */
export function normalise(
  given: string | MappedText,
  table: Confusables,
  sessionTail = '',
  allowance?: DecodeAllowance,
  index: WordIndex | null = null,
): Normalised {
  const raw = typeof given === 'string' ? rawText(given) : given
  const plain = plainOf(raw)
  const values = collapsedOf(plain)
  const folded = loweredOf(values)
  const { children, bounded } = decodedChildren(raw, plain, allowance ?? decodeAllowance([raw.text]))
  const decoded = children.flatMap((child) => decodedViews(child, table, index))
  const reversed = index !== null && isReversed(folded.text, index) ? [reversedOf(folded)] : []
  return {
    raw,
    views: [
      view('raw', raw),
      view('folded', folded, plain, values),
      view('skeleton', skeletonOf(folded, table)),
      ...canonicalViews(view('canonical', folded, plain, values), table, index),
      ...decoded,
      ...reversed.map((mapped) => view('decoded', mapped, mapped, mapped, ['reversed'])),
      view('rot13', rot13Of(folded)),
      ...joinedWithTail(sessionTail, folded, table).map(sessionView),
    ],
    folded: folded.text,
    invisibleAt: plain.invisibleAt,
    invisible: plain.invisibleAt.length,
    mixedScriptWords: mixedScriptWords(plain.visible),
    decodedChildren: children.length + reversed.length,
    decodeBound: bounded || plain.cut,
  }
}

/** What stands on both sides of the place where two texts meet, read together and for nothing but phrases across it: each of
 *  the two was normalised by itself. */
export function normaliseSeam(before: MappedText, after: MappedText): Normalised {
  const joints = seamJoints(foldedOf(plainOf(before)), foldedOf(plainOf(after)))
  return {
    raw: after,
    views: joints.map((joint) => ({ ...sessionView(joint), isSeam: true })),
    folded: '',
    invisibleAt: [],
    invisible: 0,
    mixedScriptWords: 0,
    decodedChildren: 0,
    decodeBound: false,
  }
}

function view(name: ViewName, mapped: MappedText, plain = mapped, values = plain, path: string[] = []): View {
  return {
    name,
    path,
    mapped,
    plain,
    values,
    ownFrom: 0,
    isSeam: false,
    skeleton: name === 'skeleton',
    wordsAlone: false,
    disguised: true,
  }
}

/** A letter of ASCII looks like itself, and what stands for bytes that are no text like nothing. */
const LOOKS_ALIKE = /[\u0080-\ufffc\ufffe\uffff]/

function canonicalViews(folded: View, table: Confusables, index: WordIndex | null): View[] {
  const canonical = index && canonicalOf(folded.values, folded.mapped, index, table)
  return canonical === null ? [] : [{ ...folded, ...canonical, wordsAlone: true }]
}

/** A carried text may hide behind look-alikes as well, or be turned. */
function decodedViews({ plain, path }: Child, table: Confusables, index: WordIndex | null): View[] {
  const values = collapsedOf(plain)
  const folded = view('decoded', loweredOf(values), plain, values, path)
  const others = [...canonicalViews(folded, table, index), ...turnedViews(folded)]
  if (!LOOKS_ALIKE.test(plain.text)) return [folded, ...others]
  return [folded, { ...folded, mapped: skeletonOf(folded.mapped, table), skeleton: true }, ...others]
}

/** Base64 inside base64 has letters like those of a turned text, and no blanks. */
function turnedViews({ name, mapped, path }: View): View[] {
  if (!mapped.text.includes(' ')) return []
  const turned = rot13Of(mapped)
  return looksTurned(turned.text) ? [view(name, turned, turned, turned, [...path, 'rot13'])] : []
}

const sessionView = ({ mapped, ownFrom, skeleton }: Joint): View => ({ ...view('session', mapped), ownFrom, skeleton })

// A word that mixes alphabets which share letter shapes. Scripts that are commonly written inside one word with Latin
// (Japanese, Chinese, Korean) are not among them.
const ALPHABETS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Lisu}/u,
  /\p{Script=Georgian}/u,
].map(characterClass)
const isLetterOrDigit = characterClass(/[\p{L}\p{M}\p{N}]/u)

function mixedScriptWords(text: string): number {
  let words = 0
  let alphabets = 0
  for (let unit = 0; unit < text.length; ) {
    const value = codePointAt(text, unit)
    unit += value > 0xffff ? 2 : 1
    if (isPartOfWord(value)) alphabets |= alphabetOf(value)
    else {
      if (isMixed(alphabets)) words++
      alphabets = 0
    }
  }
  return isMixed(alphabets) ? words + 1 : words
}

/** More than one bit set. */
const isMixed = (alphabets: number): boolean => (alphabets & (alphabets - 1)) !== 0

function isPartOfWord(value: number): boolean {
  return value < 128 ? isAsciiLetter(value) || (value >= 48 && value <= 57) : isLetterOrDigit(value)
}

/** A bit for the alphabet, 0 for a letter of none of them. */
function alphabetOf(value: number): number {
  return value < 128 ? (isAsciiLetter(value) ? 1 : 0) : foreignAlphabetOf(value)
}

/** Apart from the ASCII letters, for which no closure over the value has to be made. */
function foreignAlphabetOf(value: number): number {
  const at = ALPHABETS.findIndex((isOf) => isOf(value))
  return at < 0 ? 0 : 1 << at
}

const isAsciiLetter = (value: number): boolean => (value >= 65 && value <= 90) || (value >= 97 && value <= 122)
