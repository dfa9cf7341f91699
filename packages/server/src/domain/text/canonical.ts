/** A text as its writer means it to be read: letters without dress, leet digits as letters, spaced and broken words closed,
 *  glued ones parted, and a word of a rule with one mistake in it spelled right. One walk over the words; what is tried
 *  at each is bounded. Null where all of that leaves the folded text as it is. */
import { characterClass } from './character-class.ts'
import { type Confusables, latinOf } from './confusables.ts'
import { type MappedText, MappedWriter } from './mapped-text.ts'
import { plainLetters } from './plain-letters.ts'
import { uint16s } from './slab.ts'
import { extended, hashOf, joinedHash, unitsOf, type WordIndex } from './word-index.ts'

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
/** Words beyond ASCII of which a text has more are hardly ever repeated in it, and keeping them costs more than reading them
 *  again. */
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
  /** Of words beyond ASCII, worked out once however often they stand in the text. */
  private readonly readings = new Map<string, Reading>()
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

  /** A run of single letters, as "i g n o r e". A wider gap than the usual one parts two words; without any, known words do. */
  private spaced(first: number): number {
    let last = first
    while (last < this.fragments.length && this.isSingle(last) && (last === first || this.gap(last) === 1)) last++
    if (last - first < MIN_SPACED) return 0
    this.disguised = true
    const widths = this.fragments.slice(first + 1, last).map((_, at) => this.rawGap(first + 1 + at))
    const usual = Math.min(...widths)
    for (let from = first; from < last; ) {
      let to = from + 1
      while (to < last && this.rawGap(to) === usual) to++
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
    this.mended(fragment.reading, fragment)
    return at + 1
  }

  private mended(reading: Reading, place: Place): void {
    const isKnown = this.isKnown(reading) || isUnspaced(reading.units[reading.begin] as number)
    const parts = isKnown ? null : this.capitalParts(place)
    const corrected = isKnown || parts !== null ? null : this.corrected(reading)
    if (parts !== null) this.capitals(parts)
    else if (corrected !== null) this.put(readingOf(corrected), place)
    else if (!isKnown && this.isGlued(reading)) this.parted(reading, () => place)
    else this.put(reading, place)
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

  /** A run of letters cut where known words begin; each letter goes back to the place that it came from. */
  private parted({ units, begin, end }: Reading, placeOf: (at: number) => Place): void {
    let inWord = false
    for (let at = begin; at < end; ) {
      const known = this.index.longestAt(units, at, end, MIN_PART)
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

  private gap(at: number): number {
    return (this.fragments[at] as Fragment).from - (this.fragments[at - 1] as Fragment).to
  }

  /** White space was drawn together, but its one blank still knows how wide it was. */
  private rawGap(at: number): number {
    const { endOffsets, startOffsets } = this.source
    const [before, own] = [this.fragments[at - 1] as Fragment, this.fragments[at] as Fragment]
    return (startOffsets[own.from] as number) - (endOffsets[before.to - 1] as number)
  }

  private isClosable(at: number): boolean {
    for (let unit = (this.fragments[at - 1] as Fragment).to; unit < (this.fragments[at] as Fragment).from; unit++)
      if (!CLOSED_MARKS.has(this.source.text.charCodeAt(unit))) return false
    return true
  }

  /** What a word of ASCII is read as is put into `units`, at the place that it has in the text. */
  private readingAt(from: number, to: number, units = this.letters): Reading {
    if (to - from > MAX_READ) return readingOf(this.source.text.slice(from, to).toLowerCase())
    return this.asciiReading(from, to, units) ?? this.foreignReading(this.source.text.slice(from, to))
  }

  /** Of a part of a word: that of the whole word stays as it is. */
  private partReadingAt({ from, to }: Place): Reading {
    this.partLetters ??= uint16s(this.source.text.length)
    return this.readingAt(from, to, this.partLetters)
  }

  /** Null for a word that is not of ASCII alone. */
  private asciiReading(from: number, to: number, units: Uint16Array): Reading | null {
    const { text } = this.source
    let [hash, asI, asL] = [0, 0, 0]
    let [leet, latin, within, behindLeet] = [false, false, false, false]
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      if (code > 127) return null
      const isOfLeet = isLeet(code)
      leet ||= isOfLeet
      latin ||= !isOfLeet
      within ||= behindLeet && !isOfLeet
      behindLeet = isOfLeet
      units[at] = LOWER[code] as number
      hash = extended(hash, LOWER[code] as number)
      asI = extended(asI, LEET_I[code] as number)
      asL = extended(asL, LEET_L[code] as number)
    }
    if (!leet || !latin) return { units, begin: from, end: to, hash }
    const isWord = (readAs: number, letters: Uint8Array): boolean =>
      this.index.mayHold(readAs) && this.index.holds(this.spelled(from, to, units, letters), from, to, readAs)
    if (isWord(asI, LEET_I)) return this.disguise({ units, begin: from, end: to, hash: asI })
    if (isWord(asL, LEET_L)) return this.disguise({ units, begin: from, end: to, hash: asL })
    // Digits at the end of a word that no rule knows number it, as in "gpt4".
    this.spelled(from, to, units, within ? LEET_I : LOWER)
    return within ? this.disguise({ units, begin: from, end: to, hash: asI }) : { units, begin: from, end: to, hash }
  }

  private spelled(from: number, to: number, units: Uint16Array, letters: Uint8Array): Uint16Array {
    for (let at = from; at < to; at++) units[at] = letters[this.source.text.charCodeAt(at)] as number
    return units
  }

  private disguise(reading: Reading): Reading {
    this.disguised = true
    return reading
  }

  private foreignReading(own: string): Reading {
    const known = this.readings.get(own)
    if (known !== undefined) return known
    const reading = readingOf(this.wordOf(own))
    if (this.readings.size < MAX_KEPT) this.readings.set(own, reading)
    return reading
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
      const [first, last] = isInPlace ? [from + at, from + at] : [from, to - 1]
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
  return { units, begin: 0, end: units.length, hash: hashOf(word) }
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
  return { units, begin: 0, end, hash }
}

const CLOSED_MARKS = new Set(Array.from(" -_.*~\u00b7\u2022\u2010\u2011\u2013/|+^`'", (mark) => mark.charCodeAt(0)))
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
  const code = text.charCodeAt(at)
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

const isCapital = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 0x410 && code <= 0x42f)

const isUnspaced = (code: number): boolean => (code >= 0x3041 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff)

/** A blank between two letters of a script that has none. */
const isSpacedScript = (text: string, from: number, to: number): boolean =>
  text.charCodeAt(from) === 32 && isUnspaced(text.charCodeAt(from - 1)) && isUnspaced(text.charCodeAt(to))
