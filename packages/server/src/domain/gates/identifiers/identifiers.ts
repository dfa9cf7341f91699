/** Numbers that governments, banks and networks give out, found by the rows of the rules: shape, check, and a word beside
 *  it where shape and check leave room for chance. */
import { unitAt } from '../../text/code-points.ts'
import { gluedWord, isLetterCode, type Match } from '../detectors/scanner.ts'
import wordLists from '../detectors/word-lists.json' with { type: 'json' }
import { AMERICA } from './america.ts'
import { ASIA } from './asia.ts'
import { CASED_VALIDATORS } from './coins.ts'
import { ContextIndex, isNearOne, type Place } from './context-index.ts'
import { EUROPE } from './europe.ts'
import { type Candidate, ShapeAutomaton } from './shapes.ts'

interface IdentifierRow {
  validator: string | null
  context: readonly string[]
  /** Needs a word of the context near it. */
  shapes: readonly string[]
  /** Needs none. */
  plain_shapes: readonly string[]
}

const VALIDATORS: Readonly<Record<string, (value: string) => boolean>> = { ...AMERICA, ...EUROPE, ...ASIA }

export const isIdentifierValidator = (name: string | null): boolean =>
  name !== null && (Object.hasOwn(VALIDATORS, name) || Object.hasOwn(CASED_VALIDATORS, name))

/** More of one kind in one text is not worked out: what has the shape is taken for what it looks like. */
const MAX_CHECKED = 256

const NO_MATCHES: readonly Match[] = []
/** No shape is without one. */
const DIGIT = /[0-9]/

export class Identifiers {
  private readonly rows: readonly IdentifierRow[]
  private readonly automaton = new ShapeAutomaton()
  private readonly index = new ContextIndex()

  constructor(rows: readonly IdentifierRow[]) {
    this.rows = rows
    rows.forEach((row, at) => {
      for (const shape of row.shapes) this.automaton.add(shape, { row: at, plain: false })
      for (const shape of row.plain_shapes) this.automaton.add(shape, { row: at, plain: true })
      this.index.add(at, row.context)
    })
  }

  /** By row, what was found of it. The label is the key under which the text stood. */
  find(text: string, label: string): Map<number, readonly Match[]> {
    const found = new Map<number, Match[]>()
    if (!DIGIT.test(text)) return found
    const named = label === '' ? undefined : this.index.places(words(label).toUpperCase())
    let places: Map<number, Place[]> | undefined
    const placesOf = (row: number): Place[] | undefined => {
      places ??= this.index.places(text)
      return places.get(row)
    }
    const isNear = ({ row, from, to }: Candidate): boolean =>
      named?.has(row) || (isNearOne(placesOf(row) ?? [], from, to) && !isOtherNumber(text, from))
    // Most rows have no word in the text, and for those nothing has to be kept.
    const isAsked = (row: number): boolean => named?.has(row) || placesOf(row) !== undefined
    const candidates = this.automaton.candidates(text, isAsked)
    for (const candidate of longestFirst(candidates)) this.check(text, candidate, isNear, found)
    return found
  }

  private check(
    text: string,
    candidate: Candidate,
    isNear: (at: Candidate) => boolean,
    found: Map<number, Match[]>,
  ): void {
    const { row, from, to, plain } = candidate
    const own = found.get(row) ?? []
    const last = own.at(-1)
    if (last !== undefined && last.to > from) return
    if (!this.isPlaced(text, candidate) || !(plain || isNear(candidate))) return
    const value = compact(text.slice(from, to))
    const { validator } = this.rows[row] as IdentifierRow
    if (own.length < MAX_CHECKED && !isIdentifier(validator as string, value, plain)) return
    own.push({ from, to, value })
    found.set(row, own)
  }

  /** The name of a number may be written onto it, and nothing else may. */
  private isPlaced(text: string, { row, from }: Candidate): boolean {
    if (!isLetterCode(unitAt(text, from - 1))) return true
    const word = gluedWord(text, from)
    return (
      word !== null && (this.rows[row] as IdentifierRow).context.some((phrase) => word.endsWith(phrase.toLowerCase()))
    )
  }
}

export const identifiersOf = (found: Map<number, readonly Match[]>, row: number | null): readonly Match[] =>
  (row === null ? undefined : found.get(row)) ?? NO_MATCHES

/** Whether a value without separators passes the check of that name. */
export function isIdentifier(validator: string, value: string, plain = false): boolean {
  const cased = CASED_VALIDATORS[validator]
  return cased ? cased(value, plain) : (VALIDATORS[validator]?.(value.toUpperCase()) ?? false)
}

const compact = (written: string): string => written.replace(/[^0-9A-Za-z]/g, '')

/** Ascending; of those that begin at one place the longest first. */
const longestFirst = (candidates: Candidate[]): Candidate[] =>
  candidates.sort((one, other) => one.from - other.from || other.to - one.to)

/** `nationalId` and `national_id` are two words; a key is a name in any case. */
const words = (label: string): string => label.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')

const OTHERS = new Set(wordLists.identifier.otherNumbers)
const JOINTS = new Set(wordLists.identifier.joints)

/** An order, an invoice, a version: the word right before the number says that it is something else. */
export function isOtherNumber(text: string, from: number): boolean {
  const before = text.slice(Math.max(0, from - 40), from).toLowerCase()
  const said = before.match(/[a-z]{1,20}/g) ?? []
  while (said.length > 0 && JOINTS.has(said.at(-1) as string)) said.pop()
  return OTHERS.has(said.at(-1) ?? '')
}
