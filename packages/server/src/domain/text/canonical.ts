/** A text as its writer means it to be read: letters without dress, leet digits as letters, spaced and broken words closed,
 *  glued ones parted, and a word of a rule with one mistake in it spelled right. One walk over the words; what is tried
 *  at each is bounded. Null where all of that leaves the folded text as it is. */
import { characterClass } from './character-class.ts'
import { unitAt } from './code-points.ts'
import { type Confusables, latinOf } from './confusables.ts'
import { type MappedText, MappedWriter } from './mapped-text.ts'
import { plainLetters } from './plain-letters.ts'
import { uint16s } from './slab.ts'
import { joinedHash, type WordIndex } from './word-index.ts'
import { extended, hashOf, unitsOf } from './word-map.ts'

interface Canonical {
  mapped: MappedText
  /** More than accents was taken away: nobody writes like that by habit. */
  disguised: boolean
}

interface Place {
  from: number
  to: number
}

/** What a word is read as, in lower case, look-alikes and leet digits as letters: units begin..end, and their hash. */
interface Reading {
  units: Uint16Array
  begin: number
  end: number
  hash: number
  /** Once it was found to be neither glued nor mistyped. */
  isPlain: boolean
}

/** Where a word stands first, and what it is read as there and everywhere. */
interface Known extends Place {
  reading: Reading
}

interface Fragment extends Place {
  reading: Reading
}

const MIN_CLOSED = 4
const MIN_SPACED = 4
const MIN_GLUED = 12
const MIN_PART = 3
const MIN_COVERED = 0.7
const MIN_CAPITALS = 0.15
const MAX_GAP = 3
const MAX_CLOSED = 24
/** A longer run of letters and digits is no word. */
const MAX_READ = 256
/** In a shorter text few words come twice, and keeping them costs more than reading them again; so do words of which a text
 *  has more than so many. */
const MIN_KEEPING = 1024
const MAX_KEPT = 1024

export function canonicalOf(
  values: MappedText,
  folded: MappedText,
  index: WordIndex,
  table: Confusables,
): Canonical | null {
  const letters = plainLetters(values)
  const reader = new CanonicalReader(letters, folded, index, table)
  const mapped = reader.read()
  if (mapped === null || mapped.text === folded.text) return null
  return { mapped, disguised: letters.disguised || reader.disguised }
}

class CanonicalReader {
  disguised = false
  private readonly source: MappedText
  private readonly index: WordIndex
  private readonly table: Confusables
  /** By the hash of a word as it is written; null where none are kept. */
  private readonly known: Map<number, Known> | null
  /** By unit of the text, what it is read as, where a word has as many letters as it has units. */
  private readonly letters: Uint16Array
  private partLetters: Uint16Array | undefined
  private readonly fragments: Fragment[]
  private readonly folded: string
  /** Null as long as nothing was read otherwise than it is folded: most texts need none. */
  private writer: MappedWriter | null = null

  constructor(source: MappedText, folded: MappedText, index: WordIndex, table: Confusables) {
    this.source = source
    this.folded = folded.text
    this.index = index
    this.table = table
    this.known = source.text.length < MIN_KEEPING ? null : new Map()
    this.letters = uint16s(source.text.length)
    this.fragments = fragmentsOf(source.text, (from, to) => ({ from, to, reading: this.readingAt(from, to) }))
    if (source.text.length !== folded.text.length) this.begin(0)
  }

  read(): MappedText | null {
    let behind = 0
    for (let at = 0; at < this.fragments.length; ) {
      const { from } = this.fragments[at] as Fragment
      this.copy(behind, from)
      const next = this.spaced(at) || this.closed(at) || this.single(at)
      behind = (this.fragments[next - 1] as Fragment).to
      at = next
    }
    this.copy(behind, this.source.text.length)
    return this.writer === null ? null : this.writer.done()
  }

  /** What stands before is the folded text, unit for unit. */
  private begin(unit: number): MappedWriter {
    const { startOffsets, endOffsets } = this.source
    const writer = new MappedWriter(this.source.text.length + 16)
    for (let at = 0; at < unit; at++)
      writer.unit(this.folded.charCodeAt(at), startOffsets[at] as number, endOffsets[at] as number)
    this.writer = writer
    return writer
  }

  /** A run of single letters, as "i g n o r e". A wider gap than the usual one parts two words, and a blank where dots part the
   *  letters; without any, known words do. */
  private spaced(first: number): number {
    let last = first
    while (last < this.fragments.length && this.isSingle(last) && (last === first || this.gap(last) === 1)) last++
    if (last - first < MIN_SPACED) return 0
    this.disguised = true
    let [usual, blanks] = [this.rawGap(first + 1), 0]
    for (let at = first + 1; at < last; at++) {
      usual = Math.min(usual, this.rawGap(at))
      if (this.isBlankBefore(at)) blanks++
    }
    const isMarked = 2 * blanks < last - first - 1
    for (let from = first; from < last; ) {
      let to = from + 1
      while (to < last && this.rawGap(to) === usual && !(isMarked && this.isBlankBefore(to))) to++
      const run = this.fragments.slice(from, to)
      if (from > first) this.blank(run[0] as Fragment)
      this.parted(joined(run), (at) => run[at] as Fragment)
      from = to
    }
    return last
  }

  /** A known word in pieces, as "in-struc tions": the longest that the next pieces make. */
  private closed(first: number): number {
    const { reading } = this.fragments[first] as Fragment
    let [length, hash, next] = [reading.end - reading.begin, reading.hash, 0]
    if (!this.index.mayBegin(hash, length)) return 0
    for (let at = first + 1; at < this.fragments.length && this.gap(at) <= MAX_GAP && this.isClosable(at); at++) {
      const piece = (this.fragments[at] as Fragment).reading
      const size = piece.end - piece.begin
      length += size
      if (length > MAX_CLOSED) break
      hash = joinedHash(hash, piece.hash, size)
      if (!this.index.mayBegin(hash, length)) break
      if (length < MIN_CLOSED || !this.index.mayHold(hash)) continue
      if (this.isKnown(joined(this.fragments.slice(first, at + 1)))) next = at + 1
    }
    if (next === 0) return 0
    const pieces = this.fragments.slice(first, next)
    // Two words of rules side by side are two words, though a third rule may write them as one.
    if (pieces.every((piece) => this.isKnown(piece.reading))) return 0
    this.put(joined(pieces), { from: (pieces[0] as Fragment).from, to: (pieces.at(-1) as Fragment).to })
    this.disguised = true
    return next
  }

  private single(at: number): number {
    const fragment = this.fragments[at] as Fragment
    if (fragment.reading.isPlain || this.isLoneName(at)) this.put(fragment.reading, fragment)
    else this.mended(fragment.reading, fragment)
    return at + 1
  }

  /** Of this place alone: elsewhere the same letters may be glued, and names in a row are a text that was parted into them. */
  private isLoneName(at: number): boolean {
    const isNear = (behind: number): boolean =>
      this.isName(behind - 1) && this.isName(behind) && this.gap(behind) <= MAX_GAP
    return this.isName(at) && !isNear(at) && !isNear(at + 1)
  }

  private isName(at: number): boolean {
    const fragment = this.fragments[at]
    return fragment !== undefined && isName(this.source.text, fragment)
  }

  private mended(reading: Reading, place: Place): void {
    const isKnown = this.isKnown(reading) || isUnspaced(reading.units[reading.begin] as number)
    const parts = isKnown ? null : this.capitalParts(place)
    const corrected = isKnown || parts !== null ? null : this.corrected(reading)
    if (parts !== null) this.capitals(parts)
    else if (corrected !== null) this.put(readingOf(corrected), place)
    else if (!isKnown && this.isGlued(reading)) this.parted(reading, () => place)
    else {
      reading.isPlain = true
      this.put(reading, place)
    }
    if (corrected !== null) this.disguised = true
  }

  private capitals(parts: readonly Place[]): void {
    parts.forEach((part, at) => {
      if (at > 0) this.blank(part)
      const reading = this.partReadingAt(part)
      const corrected = this.isKnown(reading) ? null : this.corrected(reading)
      this.put(corrected === null ? reading : readingOf(corrected), part)
    })
    this.disguised = true
  }

  private isKnown({ units, begin, end, hash }: Reading): boolean {
    return this.index.holds(units, begin, end, hash)
  }

  private corrected({ units, begin, end, hash }: Reading): string | null {
    return this.index.corrected(units, begin, end, hash)
  }

  /** Most of its letters belong to two known words or more: a long word holds a short one by chance. */
  private isGlued({ units, begin, end }: Reading): boolean {
    const length = end - begin
    if (length < MIN_GLUED || length > MAX_READ) return false
    let [covered, words] = [0, 0]
    for (let at = begin; at < end; ) {
      const known = this.index.longestAt(units, at, end, MIN_PART)
      covered += known
      if (known > 0) words++
      at += Math.max(known, 1)
    }
    return words > 1 && covered >= MIN_COVERED * length
  }

  /** A run of letters cut where known words begin, so that they take in as many letters as they can: "ignoresystem" is no
   *  "ignores". Each letter goes back to the place that it came from. */
  private parted({ units, begin, end }: Reading, placeOf: (at: number) => Place): void {
    let inWord = false
    const lengths = this.index.bestParts(units, begin, end, MIN_PART)
    for (let at = begin; at < end; ) {
      const known = lengths[at - begin] as number
      if (at > begin && (known > 0 || !inWord)) this.blank(placeOf(at - begin))
      const wordEnd = at + Math.max(known, 1)
      if (known > 0) this.disguised = true
      for (; at < wordEnd; at++) this.letter(units[at] as number, placeOf(at - begin))
      inWord = known === 0
    }
  }

  /** "IgnoreAllRules": parted before capitals where that makes known words of a good part; other names are left whole. */
  private capitalParts(whole: Place): readonly Place[] | null {
    const parts = capitalParts(this.source.text, whole)
    if (parts === null) return null
    const isKnown = (part: Place): boolean =>
      part.to - part.from >= MIN_SPACED && this.isKnown(this.partReadingAt(part))
    const known = parts.filter(isKnown).reduce((sum, { from, to }) => sum + to - from, 0)
    return known > MIN_CAPITALS * (whole.to - whole.from) ? parts : null
  }

  private isSingle(at: number): boolean {
    const { from, to } = this.fragments[at] as Fragment
    return to - from === 1 && !isUnspaced(this.source.text.charCodeAt(from))
  }

  private isBlankBefore(at: number): boolean {
    return this.source.text.charCodeAt((this.fragments[at] as Fragment).from - 1) === 32
  }

  private gap(at: number): number {
    return (this.fragments[at] as Fragment).from - (this.fragments[at - 1] as Fragment).to
  }

  /** White space was drawn together, but its one blank still knows how wide it was. */
  private rawGap(at: number): number {
    const { endOffsets, startOffsets } = this.source
    const before = (this.fragments[at - 1] as Fragment).to - 1
    return (startOffsets[(this.fragments[at] as Fragment).from] as number) - (endOffsets[before] as number)
  }

  private isClosable(at: number): boolean {
    for (let unit = (this.fragments[at - 1] as Fragment).to; unit < (this.fragments[at] as Fragment).from; unit++)
      if (!CLOSED_MARKS.has(this.source.text.charCodeAt(unit))) return false
    return true
  }

  /** What a word of ASCII is read as is put into `units`, at the place that it has in the text. */
  private readingAt(from: number, to: number, units = this.letters): Reading {
    const { text } = this.source
    let [written, all] = [0, 0]
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      written = extended(written, code)
      all |= code
    }
    const known = this.known?.get(written)
    if (known !== undefined && this.isRepeated(known, from, to)) return known.reading
    const reading = this.newReading(from, to, all < 128 ? units : null)
    if (known === undefined && this.known !== null && this.known.size < MAX_KEPT)
      this.known.set(written, { from, to, reading })
    return reading
  }

  /** Units for a word of ASCII, null for another one. */
  private newReading(from: number, to: number, units: Uint16Array | null): Reading {
    if (to - from > MAX_READ) return readingOf(this.source.text.slice(from, to).toLowerCase())
    return units === null
      ? readingOf(this.wordOf(this.source.text.slice(from, to)))
      : this.asciiReading(from, to, units)
  }

  private isRepeated(known: Place, from: number, to: number): boolean {
    const { text } = this.source
    if (known.to - known.from !== to - from) return false
    for (let at = from; at < to; at++) if (text.charCodeAt(at) !== text.charCodeAt(known.from + at - from)) return false
    return true
  }

  /** Of a part of a word: that of the whole word stays as it is. */
  private partReadingAt({ from, to }: Place): Reading {
    this.partLetters ??= uint16s(this.source.text.length)
    return this.readingAt(from, to, this.partLetters)
  }

  private asciiReading(from: number, to: number, units: Uint16Array): Reading {
    const { text } = this.source
    let hash = 0
    let [leet, latin, within, behindLeet] = [false, false, false, false]
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      const isOfLeet = isLeet(code)
      leet ||= isOfLeet
      latin ||= !isOfLeet
      within ||= behindLeet && !isOfLeet
      behindLeet = isOfLeet
      units[at] = LOWER[code] as number
      hash = extended(hash, LOWER[code] as number)
    }
    const plain = { units, begin: from, end: to, hash, isPlain: false }
    if (!leet || !latin) return plain
    const asI = this.spelled(from, to, units, LEET_I)
    if (this.index.holds(units, from, to, asI)) return this.disguise(plain, asI)
    const asL = this.spelled(from, to, units, LEET_L)
    if (this.index.holds(units, from, to, asL)) return this.disguise(plain, asL)
    // Digits at the end of a word that no rule knows number it, as in "gpt4".
    this.spelled(from, to, units, within ? LEET_I : LOWER)
    return within ? this.disguise(plain, asI) : plain
  }

  /** Puts a word into `units`, letter by letter, and tells its hash. */
  private spelled(from: number, to: number, units: Uint16Array, letters: Uint8Array): number {
    let hash = 0
    for (let at = from; at < to; at++) {
      const letter = letters[this.source.text.charCodeAt(at)] as number
      units[at] = letter
      hash = extended(hash, letter)
    }
    return hash
  }

  private disguise(reading: Reading, hash: number): Reading {
    this.disguised = true
    return { ...reading, hash }
  }

  private wordOf(own: string): string {
    let [leet, latin, mixed] = [false, false, false]
    for (let at = 0; at < own.length; at++) {
      const code = own.charCodeAt(at)
      if (isLeet(code)) leet = true
      else if (code < 128) latin = true
      else if (code >= 0x250 && code < 0x2000) mixed = true
    }
    if (mixed && latin) this.disguised = true
    const lower = (mixed && latin ? latinOf(own, this.table) : own).toLowerCase()
    return leet && (latin || mixed) ? this.withoutLeet(lower) : lower
  }

  private withoutLeet(word: string): string {
    const letters = leetRead(word, LEET_I)
    const known = [letters, leetRead(word, LEET_L)].find((reading) => this.index.has(reading))
    if (known === undefined && !/[0-9@$!|]\p{L}/u.test(word)) return word
    this.disguised = true
    return known ?? letters
  }

  private put({ units, begin, end }: Reading, { from, to }: Place): void {
    const { startOffsets, endOffsets } = this.source
    const isInPlace = end - begin === to - from
    let same = 0
    if (this.writer === null && isInPlace)
      while (same < to - from && units[begin + same] === this.folded.charCodeAt(from + same)) same++
    if (same === to - from) return
    const writer = this.writer ?? this.begin(from + same)
    for (let at = same; at < end - begin; at++) {
      const first = isInPlace ? from + at : from
      const last = isInPlace ? first : to - 1
      writer.unit(units[begin + at] as number, startOffsets[first] as number, endOffsets[last] as number)
    }
  }

  private letter(code: number, { from, to }: Place): void {
    const { startOffsets, endOffsets } = this.source
    const writer = this.writer ?? this.begin(from)
    writer.unit(code, startOffsets[from] as number, endOffsets[to - 1] as number)
  }

  /** Between two words that were one, at the place where the second begins. */
  private blank(place: Place): void {
    this.letter(32, place)
  }

  private copy(from: number, to: number): void {
    const { text, startOffsets, endOffsets } = this.source
    const blank = emphasised(text, from, to)
    if (blank >= 0) {
      this.disguised = true
      if (this.writer === null) this.begin(from)
      this.blank({ from: blank, to: blank + 1 })
      return
    }
    const dropped = to - from === 1 && isSpacedScript(text, from, to)
    if (dropped && this.writer === null) this.begin(from)
    for (let unit = from; unit < to && !dropped; unit++) {
      const code = text.charCodeAt(unit)
      if (this.writer === null && code === this.folded.charCodeAt(unit)) continue
      const writer = this.writer ?? this.begin(unit)
      writer.unit(code, startOffsets[unit] as number, endOffsets[unit] as number)
    }
  }
}

function readingOf(word: string): Reading {
  const units = unitsOf(word)
  return { units, begin: 0, end: units.length, hash: hashOf(word), isPlain: false }
}

/** The words of several pieces as one. */
function joined(pieces: readonly Fragment[]): Reading {
  const units = uint16s(pieces.reduce((sum, { reading }) => sum + reading.end - reading.begin, 0))
  let [hash, end] = [0, 0]
  for (const { reading } of pieces)
    for (let at = reading.begin; at < reading.end; at++) {
      const code = reading.units[at] as number
      hash = extended(hash, code)
      units[end++] = code
    }
  return { units, begin: 0, end, hash, isPlain: false }
}

const CLOSED_MARKS = new Set(Array.from(" -_.*~\\\u00b7\u2022\u2010\u2011\u2013/|+^`'", (mark) => mark.charCodeAt(0)))
const isLeet = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 64 || code === 36 || code === 33 || code === 124

/** By character of ASCII: in lower case, and with what stands for a letter read as that letter. The other reading of the
 *  strokes that stand for an i is an l. */
const LOWER = Uint8Array.from({ length: 128 }, (_, code) => String.fromCharCode(code).toLowerCase().charCodeAt(0))
const [LEET_I, LEET_L] = [withLeet('oizeasgtbg', 'asii'), withLeet('olzeasgtbg', 'asll')]

function withLeet(digits: string, marks: string): Uint8Array {
  const letters = LOWER.slice()
  ;[...'0123456789'].forEach((digit, at) => {
    letters[digit.charCodeAt(0)] = digits.charCodeAt(at)
  })
  ;[...'@$!|'].forEach((mark, at) => {
    letters[mark.charCodeAt(0)] = marks.charCodeAt(at)
  })
  return letters
}

const leetRead = (word: string, letters: Uint8Array): string =>
  word.replace(/[0-9@$!|]/g, (mark) => String.fromCharCode(letters[mark.charCodeAt(0)] as number))

const isLetterOrDigit = characterClass(/[\p{L}\p{N}\p{M}]/u)
const isWordy = (text: string, at: number): boolean => {
  const code = unitAt(text, at)
  return code < 128 ? isAsciiWord(code) : (code & 0xf800) === 0xd800 || isLetterOrDigit(code)
}
const isAsciiWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

/** Words with the leet marks inside them and before them; a mark behind a word ends its sentence. */
function fragmentsOf(text: string, fragment: (from: number, to: number) => Fragment): Fragment[] {
  const found: Fragment[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const leads = (code === 64 || code === 36) && isWordy(text, at + 1)
    if (!leads && !isWordy(text, at)) continue
    const from = at++
    while (at < text.length && (isWordy(text, at) || (isLeet(text.charCodeAt(at)) && isWordy(text, at + 1)))) at++
    found.push(fragment(from, at))
  }
  return found
}

/** "IgnoreAllRules" and "ignoreAllRules": a small letter before a capital parts. Null where nothing does. */
function capitalParts(text: string, { from, to }: Place): Place[] | null {
  let parts: Place[] | null = null
  let begin = from
  for (let at = from + 1; at < to; at++) {
    if (!isCapital(text.charCodeAt(at)) || isCapital(text.charCodeAt(at - 1))) continue
    parts ??= []
    parts.push({ from: begin, to: at })
    begin = at
  }
  parts?.push({ from: begin, to })
  return parts
}

const CODE_BEFORE = new Set(Array.from('`.$', (mark) => mark.charCodeAt(0)))
const CODE_BEHIND = new Set(Array.from('`(', (mark) => mark.charCodeAt(0)))
/** `skipSpace(` and `.readAll`: two words are a name of a program there, and hide nothing. */
const isName = (text: string, place: Place): boolean =>
  (CODE_BEFORE.has(unitAt(text, place.from - 1)) || CODE_BEHIND.has(unitAt(text, place.to))) &&
  capitalParts(text, place)?.length === 2

const isCapital = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 0x410 && code <= 0x42f)

const isUnspaced = (code: number): boolean => (code >= 0x3041 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff)

/** The blank between two words of which each is marked by itself, as in `**ignore** **all**`; -1 where none stands so. */
function emphasised(text: string, from: number, to: number): number {
  let blank = -1
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code === 32 && blank < 0) blank = at
    else if (!EMPHASIS.has(code)) return -1
  }
  return blank > from && blank < to - 1 ? blank : -1
}

const EMPHASIS = new Set(Array.from('*_~', (mark) => mark.charCodeAt(0)))

/** A blank between two letters of a script that has none. */
const isSpacedScript = (text: string, from: number, to: number): boolean =>
  text.charCodeAt(from) === 32 && isUnspaced(unitAt(text, from - 1)) && isUnspaced(unitAt(text, to))
