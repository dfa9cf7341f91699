/** A payment card number: issuer, length and check digit, written as a card is written. One number in ten has the check
 *  digit by chance, so a bare one needs a word that speaks of cards, its expiry, quotes around it, or others of its kind beside it. */
import { unitAt } from '../../text/code-points.ts'
import { luhn } from './checksums.ts'
import { contextWords } from './context-words.ts'
import { digitSeries, type Group, joined } from './digits.ts'
import { type Dropped, rewrittenText } from './rewritten.ts'
import {
  type DetectorInput,
  gluedWord,
  isDigitCode,
  isGluedBefore,
  isLetterCode,
  type Match,
  runEnd,
} from './scanner.ts'

import wordLists from './word-lists.json' with { type: 'json' }

/** The test cards that payment platforms publish are nobody's; documentation and tests are full of them. */
const TEST_CARDS: ReadonlySet<string> = new Set(wordLists.specimens.testCards)
/** No issuer has it: the payment platforms number their test cards under it. */
const TEST_ISSUER = '400000'
const isTestCard = (digits: string): boolean => TEST_CARDS.has(digits) || digits.startsWith(TEST_ISSUER)

/** The oldest cards of Maestro have twelve digits, as have numbers of goods and parts of longer cards: those are left out. */
const SHORTEST = 13
const MAX_LENGTH = 19

interface Candidate extends Match {
  value: string
  /** Sizes of its groups, as in 4-4-4-4. */
  shape: string
  /** In its issuer's grouping or right before its expiry, and no number of a longer row. */
  isPlain: boolean
}

export function paymentCards(input: DetectorInput): Match[] {
  const { text, series } = input
  const found = [...series().flatMap((groups) => candidatesIn(text, groups)), ...partedCandidates(text)]
  if (found.length === 0) return []
  const { isNear } = contextWords(input)
  const { listed, columns } = shapesOf(series())
  return found
    .filter(
      (card) =>
        (card.isPlain && !listed.has(card.shape)) ||
        isTestCard(card.value) ||
        isQuoted(text, card) ||
        columns.has(card.shape) ||
        isNear(card.from, card.to),
    )
    .map(({ from, to, value }) => ({ from, to, value, ...(isTestCard(value) ? { severity: 'note' as const } : {}) }))
}

/** The whole of a string in JSON, since programs hand cards over bare; under a key that names another number it is that. */
const isQuoted = (text: string, { from, to }: Match): boolean =>
  text[from - 1] === '"' && text[to] === '"' && !isOfOtherKey(text.slice(Math.max(0, from - MAX_KEY), from - 1))

const MAX_KEY = 48
const OTHER_KEYS: ReadonlySet<string> = new Set([
  ...wordLists.identifier.otherNumbers,
  'id',
  'ids',
  'uid',
  'ref',
  'reference',
])

/** The last word of the key: `orderId`, `order_id`, `id`. */
function isOfOtherKey(before: string): boolean {
  const [, key = ''] = /([A-Za-z_-]{1,40})"\s{0,4}:\s{0,4}$/.exec(before) ?? []
  const [last = ''] = /[A-Z]?[a-z]{1,20}$|[A-Z]{1,20}$/.exec(key) ?? []
  return OTHER_KEYS.has(last.toLowerCase())
}

/** Marks and tags that nobody puts into a number but to hide it: beside a word that speaks of cards it is one still. */
function partedCandidates(text: string): Candidate[] {
  if (!PARTED.test(text)) return []
  const joining = rewrittenText(text.slice(0), partsBetween(text.slice(0)))
  return digitSeries(joining.text)
    .flatMap((groups) => candidatesIn(joining.text, groups))
    .filter(
      (card) =>
        text.slice(joining.placed(card).from, joining.placed(card).to) !== joining.text.slice(card.from, card.to),
    )
    .map((card) => ({ ...joining.placed(card), isPlain: false }))
}

const PARTED = /[0-9] ?[_|~*/\u2014\u2015\u2212<]/
const MAX_PART = 48

function partsBetween(text: string): Dropped[] {
  const found: Dropped[] = []
  for (let at = 1; at < text.length; at++) {
    if (!isDigitCode(text.charCodeAt(at - 1)) || !mayPart(text, at)) continue
    const [part = ''] =
      /^ ?(?:[_|~*/\u2014\u2015\u2212]{1,2}|<[^<>0-9]{1,12}>){1,4} ?/.exec(text.slice(at, at + MAX_PART)) ?? []
    if (part === '' || !isDigitCode(unitAt(text, at + part.length))) continue
    found.push({ from: at, to: at + part.length, instead: ' ' })
    at += part.length
  }
  return found
}

const PART_MARKS = new Set(Array.from('_|~*/<\u2014\u2015\u2212', (mark) => mark.charCodeAt(0)))
const mayPart = (text: string, at: number): boolean =>
  PART_MARKS.has(text.charCodeAt(at) === 32 ? unitAt(text, at + 1) : text.charCodeAt(at))

const NONE: Candidate[] = []

function candidatesIn(text: string, groups: readonly Group[]): Candidate[] {
  if (groups.reduce((sum, { digits }) => sum + digits.length, 0) < SHORTEST) return NONE
  const found: Span[] = []
  for (let at = 0; at < groups.length; ) {
    const to = isPartOfOther(text, groups[at] as Group) ? at : cardAt(groups, at)
    if (to > at) found.push({ from: at, to })
    at = Math.max(to, at + 1)
  }
  return found
    .filter((span, at) => !isPartOfRow(text, groups, span, found[at - 1]?.to, found[at + 1]?.from))
    .map(({ from, to }) => candidateOf(text, groups, from, to))
}

/** Groups of a series. */
type Span = { from: number; to: number }

/** Whether the row goes on by the same mark, so that this is a part of a longer number. Cards may follow each other, and
 *  behind a blank a group of another size is a number of its own, as a count or the check value from the back of the card. */
function isPartOfRow(
  text: string,
  groups: readonly Group[],
  { from, to }: Span,
  endBefore = 0,
  beginNext = 0,
): boolean {
  if (to - from === 1) return false
  const marks = separatorsOf(groups, from, to)
  const adjoins = (one: Group | undefined, mark: string | undefined, own: Group): boolean =>
    one !== undefined && marks.has(mark as string) && (mark !== ' ' || one.digits.length === own.digits.length)
  const [first, last, before, next] = [groups[from], groups[to - 1], groups[from - 1], groups[to]] as Group[]
  if (adjoins(before, before?.separator, first!) && endBefore !== from) return true
  return adjoins(next, last!.separator, last!) && beginNext !== to && !isExpiry(text, next!)
}

/** 0429, 2029 or the month of 04/29. */
const isExpiry = (text: string, { to, digits }: Group): boolean =>
  text.charAt(to) === '/' || /^(?:0[1-9]|1[0-2]|20)[2-4][0-9]$/.test(digits)

/** The check digit vouches for the number, so a word may be written onto it; a hexadecimal number may not. */
const isPartOfOther = (text: string, { from, to }: Group): boolean =>
  (isGluedBefore(text, from) && !gluedWord(text, from)) ||
  isDigitCode(unitAt(text, runEnd(text, to, isLetterCode, MAX_GLUED)))

const MAX_GLUED = 16

function candidateOf(text: string, groups: readonly Group[], from: number, to: number): Candidate {
  const value = joined(groups, from, to)
  const shape = shapeOf(groups, from, to)
  return {
    from: (groups[from] as Group).from,
    to: (groups[to - 1] as Group).to,
    value,
    shape,
    isPlain:
      isIssued(groups, from, to) && !isInRow(text, groups, from, to) && (to - from > 1 || expires(text, groups, to)),
  }
}

/** Month and year right behind the number. */
const expires = (text: string, groups: readonly Group[], to: number): boolean => {
  const { to: end } = groups[to - 1] as Group
  return /^[ ,;|]{1,3}(?:0[1-9]|1[0-2])\/(?:20)?[2-4][0-9]/.test(text.slice(end, end + 12))
}

const shapeOf = (groups: readonly Group[], from: number, to: number): string =>
  groups
    .slice(from, to)
    .map(({ digits }) => digits.length)
    .join('-')

/** The end of the longest card number that begins with this group, or its begin. */
function cardAt(groups: readonly Group[], from: number): number {
  const lengths = lengthsOf(groups, from)
  let digits = ''
  let end = from
  for (let to = from; lengths.length > 0 && to < groups.length && digits.length < MAX_LENGTH; to++) {
    const group = groups[to] as Group
    digits += group.digits
    if (lengths.includes(digits.length) && isCard(digits) && isGrouped(groups, from, to + 1)) end = to + 1
  }
  return end
}

/** By the first four digits: the lengths their issuers use. Most series of digits end here. Few of the lists differ. */
const LENGTHS: readonly (readonly number[])[] = sharedLists(
  Array.from({ length: 10_000 }, (_, lead) =>
    wordLists.card.issuers.filter(({ low, high }) => isBetween(lead, low, high)).flatMap(({ lengths }) => lengths),
  ),
)

function sharedLists(lists: readonly number[][]): readonly number[][] {
  const known = new Map(lists.map((list) => [list.join(), list]))
  return lists.map((list) => known.get(list.join())!)
}

function lengthsOf(groups: readonly Group[], from: number): readonly number[] {
  let lead = ''
  for (let at = from; at < groups.length && lead.length < 4; at++) lead += (groups[at] as Group).digits
  // Ones in a row are counts and versions: what begins with one is a card in groups of four and more.
  if (lead.length < 4 || (lead.startsWith('1') && (groups[from] as Group).digits.length < 4)) return []
  return LENGTHS[Number(lead.slice(0, 4))] ?? []
}

function isBetween(lead: number, low: number, high: number): boolean {
  const prefix = Math.floor(lead / 10 ** (4 - String(low).length))
  return prefix >= low && prefix <= high
}

/** As the issuers emboss them, by length. */
const ISSUED = new Set(['4-3-3-3', '4-6-4', '4-6-5', '4-5-6', '4-4-4-4', '4-4-4-4-1', '4-4-4-4-2', '4-4-4-4-3', '6-13'])

/** Two decimal fractions side by side have the shape of a card, so dots part all of the groups or none. */
function isIssued(groups: readonly Group[], from: number, to: number): boolean {
  if (to - from === 1) return true
  const separators = separatorsOf(groups, from, to)
  return ISSUED.has(shapeOf(groups, from, to)) && (separators.size === 1 || !separators.has('.'))
}

const separatorsOf = (groups: readonly Group[], from: number, to: number): Set<string> =>
  new Set(groups.slice(from, to - 1).map(({ separator }) => separator))

/** Whether the row goes on before or behind it: a bare number behind a point is a fraction, behind a dash part of an id. */
function isInRow(text: string, groups: readonly Group[], from: number, to: number): boolean {
  const separators = to - from === 1 ? TIGHT : separatorsOf(groups, from, to)
  const [before, last, next] = [groups[from - 1], groups[to - 1] as Group, groups[to]]
  if (before !== undefined && separators.has(before.separator)) return true
  // The month of its expiry is no further group.
  return next !== undefined && separators.has(last.separator) && text.charAt(next.to) !== '/'
}

const TIGHT: ReadonlySet<string> = new Set(['.', '-', '\u2010', '\u2011', '\u2013'])

/** Beside a word that speaks of cards: any grouping by one mark that is no dot, small groups only where all of them are. */
function isGrouped(groups: readonly Group[], from: number, to: number): boolean {
  const sizes = groups.slice(from, to).map(({ digits }) => digits.length)
  if (ISSUED.has(sizes.join('-'))) return true
  const separators = separatorsOf(groups, from, to)
  if (separators.size > 1 || separators.has('.')) return false
  return Math.min(...sizes) >= 3 || sizes.slice(0, -1).every((size) => size === sizes[0])
}

const MIN_COLUMN = 3

/** Listed are the shapes in which most numbers are no cards: a column of ids or a matrix, where chance makes the others.
 *  Columns are those of bare numbers that are all of them cards, too many for chance. */
function shapesOf(series: readonly (readonly Group[])[]): { listed: Set<string>; columns: Set<string> } {
  const counts = new Map<string, { cards: Set<string>; right: number; wrong: number }>()
  for (const { shape, value } of series.flatMap(isolatedNumbers)) {
    const own = counts.get(shape) ?? { cards: new Set(), right: 0, wrong: 0 }
    counts.set(shape, own)
    if (isCardNumber(value)) {
      own.cards.add(value)
      own.right++
    } else own.wrong++
  }
  const shapes = [...counts]
  const isColumn = (shape: string, cards: number, wrong: number): boolean =>
    !shape.includes('-') && wrong === 0 && cards >= MIN_COLUMN
  return {
    listed: new Set(shapes.filter(([, { right, wrong }]) => wrong > right).map(([shape]) => shape)),
    columns: new Set(
      shapes.filter(([shape, { cards, wrong }]) => isColumn(shape, cards.size, wrong)).map(([shape]) => shape),
    ),
  }
}

/** The numbers of a series that could be cards by their shape: the whole of it, or each long group. */
function isolatedNumbers(groups: readonly Group[]): { shape: string; value: string }[] {
  const whole = shapeOf(groups.slice(0, 6), 0, 6)
  if (ISSUED.has(whole)) return [{ shape: whole, value: joined(groups, 0, groups.length) }]
  return groups
    .filter(({ digits }) => digits.length >= SHORTEST && digits.length <= MAX_LENGTH)
    .map(({ digits }) => ({ shape: String(digits.length), value: digits }))
}

export const isCardNumber = (digits: string): boolean =>
  (LENGTHS[Number(digits.slice(0, 4))] ?? []).includes(digits.length) && isCard(digits)

function isCard(digits: string): boolean {
  return digits.length >= SHORTEST && luhn(digits) && [...digits].some((digit) => digit !== digits[0])
}
