/** What hand-written detectors share: reading letters by number. They use only the operations below and those of
 *  ScannedText, each of which costs what it reads, so that a test can count the work. */
import type { ScoreExplanation } from '../../decision/wire.ts'
import { unitAt } from '../../text/code-points.ts'
import { mayHold } from '../../text/trigrams.ts'
import type { Origin } from '../finding.ts'
import type { Scorer } from '../scorer/scorer.ts'
import type { Command } from './command-line.ts'
import type { SpelledWords } from './context-words.ts'
import type { Group } from './digits.ts'
import type { KeyShape } from './secrets.ts'

/** Units of the scanned text, and what was found there. */
export interface Match {
  from: number
  to: number
  /** The value without its separators; equal values of one rule are one value. */
  value?: string
  /** Graver or lighter than the rule says for its direction: a specimen, a failed checksum. */
  severity?: 'block' | 'hold' | 'note'
  /** Another form of a word of the rule, as it is written by habit: nothing was hidden by it. */
  isForm?: boolean
  /** What the command that was found would do; nothing for what is no command. */
  effect?: 'external' | 'destructive'
  /** What a learned score is made of. */
  explanation?: ScoreExplanation
}

/** What a command that destroys shows, and one that destroys a part or does daily work in the same form. */
export const DESTROYS = { effect: 'destructive' } as const
export const DESTROYS_PART = { effect: 'destructive', severity: 'hold' } as const

export const isDigitCode = (code: number): boolean => code >= 48 && code <= 57
export const isLetterCode = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
export const isAlnumCode = (code: number): boolean => isDigitCode(code) || isLetterCode(code)
export const isBlankCode = (code: number): boolean => code === 32 || (code >= 9 && code <= 13)

/** Whether a letter or digit stands right before the unit; ASCII and everything beyond it counts. */
export function isInsideWord(text: string, at: number): boolean {
  const code = unitAt(text, at - 1)
  return isAlnumCode(code) || code === 95 || code > 127
}

/** Whether an ASCII letter or digit stands right before the unit: a letter of another script is no part of a value. */
export const isGluedBefore = (text: string, at: number): boolean => isAlnumCode(unitAt(text, at - 1))
export const isGluedBehind = (text: string, at: number): boolean => isAlnumCode(unitAt(text, at))

const MAX_GLUED = 16

/**
 * The word written onto a value, as the name in SSN123 or the end of it in MY_SSN123; in lower case. Empty where none
 * stands there, null where what stands there is no word: a digit in it, as in a hexadecimal number, or no end to it.
 */
export function gluedWord(text: string, at: number): string | null {
  const from = runStart(text, at, isLetterCode, MAX_GLUED + 1)
  if (at - from > MAX_GLUED || isDigitCode(unitAt(text, from - 1))) return null
  return text.slice(from, at).toLowerCase()
}

export function startsWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return isAlnumCode(code) || code === 95 || code > 127
}

/** One past the members that stand in a row from a unit on, at most so many of them. */
export function runEnd(text: string, from: number, isMember: (code: number) => boolean, max: number): number {
  let to = from
  const end = Math.min(from + max, text.length)
  while (to < end && isMember(text.charCodeAt(to))) to++
  return to
}

/** Where the members begin that stand in a row right before a unit, at most so many of them. */
export function runStart(text: string, to: number, isMember: (code: number) => boolean, max: number): number {
  let from = to
  const begin = Math.max(to - max, 0)
  while (from > begin && isMember(text.charCodeAt(from - 1))) from--
  return from
}

export const skipBlanks = (text: string, from: number, max = 16): number => runEnd(text, from, isBlankCode, max)

/** Every place of a literal, ASCII case ignored by searching a lower-cased copy. */
export function places(lower: string, literal: string): readonly number[] {
  let at = mayHold(lower, literal) ? lower.indexOf(literal) : -1
  if (at < 0) return NOWHERE
  const found: number[] = []
  for (; at >= 0; at = lower.indexOf(literal, at + literal.length)) found.push(at)
  return found
}

const NOWHERE: readonly number[] = []

/** Lower case without moving anything: the few letters that grow when lowered leave the text as it is. */
export function lowered(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

export interface DetectorInput {
  text: string
  /** The text in lower case, worked out once for all rules that read it so. */
  lower: () => string
  /** The numbers of the text, worked out once for all rules that look at them. */
  series: () => Group[][]
  /** The words of the text, spelled once for all rules that look for one beside a number. */
  spelled: () => SpelledWords
  /** What was found of the rule's row of identifiers; the text is read once for all of them. */
  identifiers: () => readonly Match[]
  /** The commands of the text, read once for all rules about them. */
  commands: () => Command[]
  /** Words that must or may stand near, from the rule. */
  context: readonly string[]
  /** The key of the context under which the text was found; empty for the text itself. */
  label: string
  keys: readonly KeyShape[]
  allowedHosts: readonly string[]
  origin: Origin
  /** Null where no rule asks for it. */
  scorer: Scorer | null
}

export type Detector = (input: DetectorInput) => readonly Match[]
