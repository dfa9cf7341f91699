/** Where a streamed text may be parted. A unit leaves whole or not at all: what a decoder or a detector reads as one run
 *  (tokens, wrapped base64, a series of digits, a stretch of escapes, an opened key block) lies within one unit, however
 *  it is wrapped or spelt. Reads every character once; positions are code units of the text. */
import { characterClass } from '../../../domain/text/character-class.ts'
import { codePointAt } from '../../../domain/text/code-points.ts'
import { isInvisible } from '../../../domain/text/invisible.ts'

/** Letters of one run that count: a distance is one of words as well as of characters, and a word may have any length. */
const COUNTED = 32
/** A line break behind fewer letters is the end of a word; behind more it may be the wrapping of an encoded text. */
const MIN_WRAPPED = 16

interface Unit {
  at: number
  /** What all units before it weigh. */
  before: number
}

/** What a break has to be followed by to be none. */
type Pending = { kind: 'series' | 'return' | 'line'; at: number }

const isMark = characterClass(/\p{M}/u)

export class TextUnits {
  #units: Unit[] = [{ at: 0, before: 0 }]
  #weight = 0
  #at = 0
  #runLength = 0
  /** Letters of the encoding alphabets in a row, across wrapped lines. */
  #letters = 0
  #afterDigit = false
  #afterBlank = false
  #pending: Pending | null = null
  readonly #key = new KeyBlock()
  readonly #escapes = new EscapeStretch()

  /** Reads what was added behind what has been read. */
  read(text: string): void {
    while (this.#at < text.length) {
      const point = codePointAt(text, this.#at)
      this.#at += point > 0xffff ? 2 : 1
      if (point < 0x80) this.#take(point)
      else if (!isInvisible(point) && !isMark(point)) this.#fold(point)
    }
  }

  /** The last place that has at least `weight` behind it. */
  behind(weight: number): number {
    return this.#last(this.#weight - weight)
  }

  /** The last place that has at least `weight` between itself and `at`. */
  before(at: number, weight: number): number {
    let next = this.#units.length - 1
    while (next > 0 && this.#units[next]!.at > at) next -= 1
    return this.#last(this.#units[next]!.before - weight)
  }

  /** The text lost its first characters, all of them before `at`. */
  forget(at: number): void {
    const rest = this.#units.filter((unit) => unit.at >= at)
    this.#units = rest.map((unit) => ({ ...unit, at: unit.at - at }))
    this.#at -= at
    if (this.#pending !== null) this.#pending.at -= at
  }

  #last(max: number): number {
    let next = this.#units.length - 1
    while (next > 0 && this.#units[next]!.before > max) next -= 1
    return this.#units[next]!.at
  }

  /** As the gates will read it: one character may stand for several. */
  #fold(point: number): void {
    for (const letter of String.fromCodePoint(point).normalize('NFKC')) this.#take(letter.codePointAt(0) as number)
  }

  #take(code: number): void {
    this.#key.take(code)
    this.#escapes.take(code)
    if (this.#pending !== null && this.#goesOn(code)) return
    if (code > 0x20 && code < 0x7f) this.#letter(code)
    else this.#break(code)
  }

  /** True where the character has been dealt with. */
  #goesOn(code: number): boolean {
    const { kind, at } = this.#pending as Pending
    this.#pending = null
    if (kind === 'return' && code === LINE_FEED) {
      this.#pending = { kind: 'line', at: this.#at }
      return true
    }
    const joins = kind === 'series' ? isDigit(code) : kind === 'line' && isEncoding(code)
    if (!joins) this.#part(at)
    return false
  }

  #letter(code: number): void {
    this.#runLength += 1
    if (this.#runLength <= COUNTED) this.#weight += 1
    this.#letters = isEncoding(code) ? this.#letters + 1 : 0
    this.#afterDigit = isDigit(code)
    this.#afterBlank = false
  }

  #break(code: number): void {
    const blank = isBlank(code)
    if (!blank || !this.#afterBlank) this.#weight += 1
    const pending = this.#pendingBy(code)
    this.#afterBlank = blank
    this.#afterDigit = false
    this.#runLength = 0
    if (pending !== 'return' && pending !== 'line') this.#letters = 0
    if (pending === null) this.#part(this.#at)
    else this.#pending = { kind: pending, at: this.#at }
  }

  #pendingBy(code: number): Pending['kind'] | null {
    if (this.#afterDigit && isSeparator(code)) return 'series'
    if (this.#letters < MIN_WRAPPED) return null
    return code === LINE_FEED ? 'line' : code === RETURN ? 'return' : null
  }

  #part(at: number): void {
    this.#runLength = 0
    if (this.#key.open || this.#escapes.open) return
    const { before } = this.#units.at(-1) as Unit
    if (this.#weight > before) this.#units.push({ at, before: this.#weight })
  }
}

const LINE_FEED = 10
const RETURN = 13

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || BLANKS.has(code)
const BLANKS = new Set([0x85, 0x1680, 0x2028, 0x2029])
/** What may stand between two groups of digits and is no letter of a run anyway. */
const isSeparator = (code: number): boolean => code === 32 || code === 0x2010 || code === 0x2011 || code === 0x2013

/** Letters of base64 in both alphabets and of hex, and what escapes of them are written with. */
const isEncoding = characterClass(/[A-Za-z0-9+/_%&#;-]/)

/** Two escapes belong together at 64 characters, and the words behind the last one for as many. */
const REACH = 128
const MAX_NAME = 9

/** Percent escapes and entities are decoded together with the words around them, and escapes close to each other as one
 *  stretch: while another may still join, nothing of it is parted. */
class EscapeStretch {
  #left = 0
  /** Hexadecimal digits behind a percent sign; -1 without one. */
  #hex = -1
  /** What stands behind an ampersand; null without one. */
  #name: string | null = null

  get open(): boolean {
    return this.#left > 0
  }

  take(code: number): void {
    if (this.#left > 0) this.#left -= 1
    if (this.#isPercent(code) || this.#isEntity(code)) this.#left = REACH
  }

  #isPercent(code: number): boolean {
    if (code === 37) this.#hex = 0
    else this.#hex = this.#hex >= 0 && this.#hex < 2 && isHex(code) ? this.#hex + 1 : -1
    return this.#hex === 2
  }

  /** By its number with or without the semicolon, as browsers read it. */
  #isEntity(code: number): boolean {
    if (code === 38) this.#name = ''
    else if (this.#name !== null) {
      const before = this.#name
      if (code === 59) {
        this.#name = null
        return before !== ''
      }
      const goesOn = isNameLetter(code) && before.length < MAX_NAME
      this.#name = goesOn ? before + String.fromCharCode(code) : null
      return goesOn && before.startsWith('#')
    }
    return false
  }
}

const isHex = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102)
const isNameLetter = (code: number): boolean =>
  code === 35 || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

const LEAD = 'BEGIN '
const DASHES = 5
/** Of the marker, behind its first words. */
const MAX_HEADER = 64
/** As far as a body is looked for. */
const MAX_BODY = 16_384

/** A private key on its way: from its opening marker to the end of what a detector would still read as its body. Any
 *  number of header lines may stand between the two, so the block is open for as long as the detector reads on. */
class KeyBlock {
  #dashes = 0
  /** How much of the lead stands behind five dashes; -1 without them. */
  #led = -1
  #header: string | null = null
  #bodyLeft = 0

  get open(): boolean {
    return this.#header !== null || this.#bodyLeft > 0
  }

  take(code: number): void {
    this.#dashes = code === 45 ? this.#dashes + 1 : 0
    if (this.#header !== null) this.#takeHeader(code)
    else if (this.#bodyLeft > 0) this.#bodyLeft = this.#dashes === DASHES ? 0 : this.#bodyLeft - 1
    this.#lookForLead(code)
  }

  #takeHeader(code: number): void {
    const header = `${this.#header}${String.fromCodePoint(code)}`
    const closed = header.endsWith('-----')
    this.#header = closed || header.length > MAX_HEADER ? null : header
    if (!closed) return
    this.#dashes = 0
    if (header.includes('PRIVATE KEY')) this.#bodyLeft = MAX_BODY
  }

  #lookForLead(code: number): void {
    if (this.#dashes >= DASHES) this.#led = 0
    else if (this.#led < 0 || code !== LEAD.charCodeAt(this.#led)) this.#led = -1
    else this.#led += 1
    if (this.#led !== LEAD.length) return
    this.#led = -1
    this.#header = ''
  }
}
