/** The skeleton of UTS 39: characters that look alike become one. Rule words go through the same function, so that
 *  both sides of a comparison lose the same differences. */
import { canonicalBytes, sha256Hex } from '@orch/core'
import { codePointAt } from './code-points.ts'
import { type MappedText, MappedWriter } from './mapped-text.ts'

export interface Confusables {
  unicode: string
  digest: string
  entries: number
  prototypes: ReadonlyMap<number, string>
  /** Answers already worked out for the basic plane, so bounded by its size. */
  known: Map<number, string>
  /** Of each character of ASCII whose prototype is one unit, that unit; 0 for the others. */
  ascii: Uint16Array
}

export class ConfusablesError extends Error {
  constructor(reason: string) {
    super(`the table of confusable characters is unusable: ${reason}`)
    this.name = 'ConfusablesError'
  }
}

interface Document {
  schema: string
  unicode: string
  entries: number
  groups: string[]
}

/** Throws on anything but a whole table: a table with a hole would let look-alikes through in silence. */
export function loadConfusables(document: unknown): Confusables {
  if (!isDocument(document)) throw new ConfusablesError('not an orch.confusables/v1 document')
  const prototypes = new Map<number, string>()
  for (const group of document.groups) {
    const [target, sources] = group.split(' < ')
    if (!target || !sources) throw new ConfusablesError(`a group without a prototype: ${group.slice(0, 40)}`)
    const prototype = target.split('+').map(pointOf).join('')
    for (const source of sources.split(' ')) prototypes.set(pointOf(source).codePointAt(0) as number, prototype)
  }
  if (prototypes.size !== document.entries)
    throw new ConfusablesError(`${prototypes.size} of ${document.entries} entries`)
  const digest = sha256Hex(canonicalBytes(document))
  const table = { unicode: document.unicode, digest, entries: document.entries, prototypes, known: new Map() }
  const units = Array.from({ length: 128 }, (_, value) => prototypeOf(value, table))
  return { ...table, ascii: Uint16Array.from(units, (unit) => (unit.length === 1 ? unit.charCodeAt(0) : 0)) }
}

function isDocument(document: unknown): document is Document {
  if (typeof document !== 'object' || document === null) return false
  const { schema, unicode, entries, groups } = document as Document
  const shaped = Array.isArray(groups) && groups.every((group) => typeof group === 'string')
  return schema === 'orch.confusables/v1' && typeof unicode === 'string' && Number.isInteger(entries) && shaped
}

function pointOf(hex: string): string {
  const value = /^[0-9A-F]{4,6}$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN
  if (!(value <= 0x10ffff)) throw new ConfusablesError(`not a code point: ${hex.slice(0, 12)}`)
  return String.fromCodePoint(value)
}

export function skeletonOf(folded: MappedText, table: Confusables): MappedText {
  const { text, startOffsets, endOffsets } = folded
  // Some letters become two, an m for one: room for them at once.
  const writer = new MappedWriter(text.length + (text.length >> 2) + 8)
  for (let unit = 0; unit < text.length; ) {
    const value = codePointAt(text, unit)
    const plain = isUnchanged(text, unit, value) ? value : value < 128 ? (table.ascii[value] as number) : 0
    if (plain > 0) writer.unit(plain, startOffsets[unit] as number, endOffsets[unit] as number)
    else writer.push(prototypeOf(value, table), startOffsets[unit] as number, endOffsets[unit] as number)
    unit += value > 0xffff ? 2 : 1
  }
  return writer.done()
}

export function skeletonWord(word: string, table: Confusables): string {
  let skeleton = ''
  for (let unit = 0; unit < word.length; ) {
    const value = codePointAt(word, unit)
    skeleton += isUnchanged(word, unit, value) ? String.fromCharCode(value) : prototypeOf(value, table)
    unit += value > 0xffff ? 2 : 1
  }
  return skeleton
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins at NUL
const BEYOND_ASCII = /[^\u0000-\u007f]/gu
const IS_CAPITAL = /\p{Lu}/u

/** Letters that look like one of ASCII are that letter, in the case that they have; what is ASCII stays as it is. */
export const latinOf = (text: string, { prototypes }: Pick<Confusables, 'prototypes'>): string =>
  text.replace(BEYOND_ASCII, (letter) => {
    const value = letter.codePointAt(0)!
    const like =
      prototypes.get(value) ??
      baseLetters(value)
        .map((base) => toPrototype(base, prototypes))
        .join('')
    // The table writes an m as two letters and a capital I as a small l.
    return like === 'rn' ? 'm' : like === 'l' && IS_CAPITAL.test(letter) ? 'I' : like
  })

const toPrototype = (value: number, prototypes: Confusables['prototypes']): string =>
  (value < 128 ? undefined : prototypes.get(value)) ?? String.fromCodePoint(value)

/**
 * A bar or a lone 1 looks like an I and is none: read as one, it would put a subject before the verb of a command. So
 * punctuation stays what it is, and a digit becomes a letter only inside a word.
 */
function isUnchanged(text: string, unit: number, value: number): boolean {
  if (value > 127) return false
  if (value >= 48 && value <= 57) return !isLetter(text.charCodeAt(unit - 1)) && !isLetter(text.charCodeAt(unit + 1))
  return !isLetter(value)
}

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code > 127

/**
 * Folding has already lost the case, and with it that a capital I is an l: both are written l here, as is 1. An accent
 * is dropped with its mark, since an accented letter is a look-alike too.
 */
const prototypeOf = (value: number, table: Table): string => table.known.get(value) ?? newPrototype(value, table)

type Table = Pick<Confusables, 'prototypes' | 'known'>

function newPrototype(value: number, { prototypes, known }: Table): string {
  const own = prototypes.get(value)
  const letters =
    own ??
    baseLetters(value)
      .map((base) => prototypes.get(base) ?? String.fromCodePoint(base))
      .join('')
  const prototype = letters.toLowerCase().replaceAll('i', 'l').replaceAll('\u0131', 'l')
  if (value <= 0xffff) known.set(value, prototype)
  return prototype
}

const MARK = /\p{M}/u
const baseLetters = (value: number): number[] =>
  [...String.fromCodePoint(value).normalize('NFD')]
    .filter((part) => !MARK.test(part))
    .map((part) => part.codePointAt(0)!)
