/** Telephone numbers: with a plus sign or in the grouping of a country by its numbering plan, otherwise by their written
 *  form and a word that speaks of telephones. */
import { unitAt } from '../../text/code-points.ts'
import { type ContextWords, contextWords } from './context-words.ts'
import { hasTrunkZero, isInternational, isNorthAmerican } from './numbering-plan.ts'
import { type DetectorInput, isAlnumCode, isDigitCode, type Match, runEnd } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

const SHORTEST = 7
const MAX_LENGTH = 15
const MAX_WRITTEN = 32
/** More of them in one text are taken by their form alone. */
const MAX_PLANNED = 256

interface Written {
  to: number
  digits: string
  groups: number[]
  separators: string
}

export function telephoneNumbers(input: DetectorInput): Match[] {
  const { text } = input
  const found: Match[] = []
  const { isNear } = contextWords({ ...input, others: wordLists.phone.others })
  let planned = 0
  const fits = (isOfPlan: () => boolean): boolean => planned++ >= MAX_PLANNED || isOfPlan()
  for (let at = 0; at < text.length; ) {
    const written = begins(text, at) ? writtenAt(text, at) : null
    if (written && isTelephone(text, at, written, isNear, fits))
      found.push({ from: at, to: written.to, value: written.digits })
    at = written ? Math.max(written.to, at + 1) : at + 1
  }
  return found
}

function begins(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const isBracket = code === 43 || code === 40
  if (!isBracket && !isDigitCode(code)) return false
  const before = unitAt(text, at - 1)
  if (isAlnumCode(before) || before === 95 || before === 43 || before === 64) return false
  return isBracket ? isDigitCode(unitAt(text, at + 1)) : !isFraction(text, at)
}

/** 3.1415 or 1,000: the digits behind the mark are no number of their own. */
function isFraction(text: string, at: number): boolean {
  const before = unitAt(text, at - 1)
  return CURRENCIES.has(before) || (FRACTION_MARKS.has(before) && isDigitCode(unitAt(text, at - 2)))
}

const codesOf = (marks: string): ReadonlySet<number> => new Set(Array.from(marks, (mark) => mark.charCodeAt(0)))
const CURRENCIES = codesOf('$€£')
const FRACTION_MARKS = codesOf('.,/:#=')

function writtenAt(text: string, from: number): Written {
  const groups: number[] = []
  let digits = ''
  let separators = ''
  let at = from
  let to = from
  let size = 0
  for (; at < text.length && at - from < MAX_WRITTEN; at++) {
    const code = text.charCodeAt(at)
    if (isDigitCode(code)) {
      digits += text.charAt(at)
      size++
      to = at + 1
    } else if (at === from || isSeparating(text, at) || isBehindAreaCode(text, from, at)) {
      if (size > 0) groups.push(size)
      size = 0
      separators += text.charAt(at)
    } else break
  }
  if (size > 0) groups.push(size)
  return { to: extensionEnd(text, to), digits, groups, separators: separators.slice(0, at - from) }
}

/** One separator, or the two of a bracket: ") " and " (". */
function isSeparating(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  const next = unitAt(text, at + 1)
  if (code === 41) return isDigitCode(next) || next === 32 || next === 45
  if (code === 32) return isDigitCode(next) || next === 40
  if (code === 40) return isDigitCode(next)
  return (code === 45 || code === 46 || code === 0x2011 || code === 0x2013) && isDigitCode(next)
}

/** 030/901820, as Germans part the area code. */
const isBehindAreaCode = (text: string, from: number, at: number): boolean =>
  text.charCodeAt(at) === SLASH && at - from <= 6 && /^0[0-9]{2,5}\/[0-9]{2}[0-9 ]/.test(text.slice(from, at + 4))

const SLASH = 47

function extensionEnd(text: string, at: number): number {
  if (text.charAt(at) !== 'x') return at
  const to = runEnd(text, at + 1, isDigitCode, 6)
  return to > at + 2 ? to : at
}

/** Asks the plan as long as the text has not asked too often. */
type Fits = (isOfPlan: () => boolean) => boolean

function isTelephone(
  text: string,
  from: number,
  written: Written,
  isNear: ContextWords['isNear'],
  fits: Fits,
): boolean {
  const { digits, groups, separators, to } = written
  const after = unitAt(text, to)
  if (digits.length < SHORTEST || digits.length > MAX_LENGTH || isAlnumCode(after) || after === 95 || after === 64)
    return false
  if (text.charCodeAt(from) === 43)
    return digits.length >= 8 && (fits(() => isInternational(digits)) || isNear(from, to))
  if (isDate(groups, digits) || isAddress(groups, separators)) return false
  return isNational(groups, digits, separators, fits) || isNear(from, to)
}

/** Formats nobody writes other numbers in: 555-010-1234, (555) 010-1234, and a trunk zero with grouped digits. */
function isNational(groups: readonly number[], digits: string, separators: string, fits: Fits): boolean {
  const shape = groups.join('-')
  if (shape === '3-3-4' || shape === '1-3-3-4') return separators !== '' && fits(() => isNorthAmerican(digits))
  return (
    !separators.includes('/') &&
    digits.startsWith('0') &&
    !digits.startsWith('00') &&
    digits.length >= 9 &&
    digits.length <= 11 &&
    groups.length >= 3 &&
    Math.min(...groups) >= 2 &&
    fits(() => hasTrunkZero(digits))
  )
}

function isDate(groups: readonly number[], digits: string): boolean {
  const shape = groups.join('-')
  return shape === '4-2-2' || shape === '2-2-4' || (shape === '8' && /^(?:19|20)/.test(digits))
}

const isAddress = (groups: readonly number[], separators: string): boolean =>
  groups.length === 4 && separators === '...' && groups.every((size) => size <= 3)
