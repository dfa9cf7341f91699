import { unitAt } from '../../text/code-points.ts'
import { isOtherNumber } from '../identifiers/identifiers.ts'
import { type ContextWords, contextWords } from './context-words.ts'
import { type Group, joined } from './digits.ts'
import { type DetectorInput, gluedWord, isAlnumCode, isGluedBefore, isGluedBehind, type Match } from './scanner.ts'

/** Printed in advertisements and on sample cards for decades: nobody's number. */
const SPECIMENS = new Set(['078051120', '219099999', '457555462'])
const DASHES = '-\u2010\u2011\u2013'

export function socialSecurityNumbers(input: DetectorInput): Match[] {
  const found: Match[] = []
  const { isNear } = contextWords(input)
  for (const groups of input.series())
    for (let at = 0; at < groups.length; at++) {
      const shape = shapeAt(groups, at)
      const match = shape && numberAt(groups, at, shape, input, isNear)
      if (match) found.push(match)
    }
  return found
}

function numberAt(
  groups: readonly Group[],
  at: number,
  shape: Shape,
  { text, context }: DetectorInput,
  isNear: ContextWords['isNear'],
): Match | null {
  const [from, to] = [(groups[at] as Group).from, (groups[at + shape.groups - 1] as Group).to]
  const value = joined(groups, at, at + shape.groups)
  if (!isIssued(value) || !isPlaced(text, from, to, shape, context)) return null
  if ((!shape.plain || isOfOther(text, from, to)) && !isNear(from, to)) return null
  return { from, to, value, ...(SPECIMENS.has(value) ? { severity: 'note' as const } : {}) }
}

/** Of an order or an invoice, or a part of a longer code. */
const isOfOther = (text: string, from: number, to: number): boolean =>
  isOtherNumber(text, from) || isCode(text, from - 1, -1) || isCode(text, to, 1)

const isCode = (text: string, dash: number, step: 1 | -1): boolean =>
  text.charAt(dash) === '-' && isAlnumCode(unitAt(text, dash + step))

/**
 * There is no check digit, so what is glued to the digits counts: behind a dashed number a letter stands for the kind of
 * benefit; before it, or on nine bare digits, it must be the name of the number.
 */
function isPlaced(text: string, from: number, to: number, shape: Shape, context: readonly string[]): boolean {
  if (isGluedBefore(text, from)) {
    const word = gluedWord(text, from)
    if (word === null || !context.some((name) => word.endsWith(name))) return false
  }
  return !isGluedBehind(text, to) || shape.groups === 3
}

interface Shape {
  groups: 1 | 3
  /** So written that nothing else is; otherwise a context word must stand near. */
  plain: boolean
}

/** Three, two and four digits, or nine together; no dash or dot may lead further. */
function shapeAt(groups: readonly Group[], at: number): Shape | null {
  const first = groups[at] as Group
  if (at > 0 && isJoined(groups[at - 1]?.separator)) return null
  if (first.digits.length === 9) return isJoined(first.separator) ? null : { groups: 1, plain: false }
  const [second, third] = [groups[at + 1], groups[at + 2]]
  if (first.digits.length !== 3 || second?.digits.length !== 2 || third?.digits.length !== 4) return null
  const alike = first.separator === second.separator
  const dotted = first.separator === '.' || second.separator === '.'
  if ((dotted && !alike) || isJoined(third.separator)) return null
  return { groups: 3, plain: alike && !dotted && (isTight(first.separator) || groups.length === 3) }
}

const isTight = (separator: string | undefined): boolean =>
  separator !== undefined && separator !== '' && DASHES.includes(separator)

/** Dots lead on to a version, an amount or an address. */
const isJoined = (separator: string | undefined): boolean => separator === '.' || isTight(separator)

function isIssued(digits: string): boolean {
  const area = digits.slice(0, 3)
  return area !== '000' && area !== '666' && area < '900' && digits.slice(3, 5) !== '00' && digits.slice(5) !== '0000'
}
