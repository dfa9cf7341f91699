/** A text as its writer means it to be read: letters without dress, leet digits as letters, spaced and broken words closed,
 *  glued ones parted, and a word of a rule with one mistake in it spelled right. One walk over the words; what is tried
 *  at each is bounded. Null where all of that leaves the folded text as it is. */
import { characterClass } from './character-class.ts'
import { type Confusables, latinOf } from './confusables.ts'
import { type MappedText, MappedWriter } from './mapped-text.ts'
import { plainLetters } from './plain-letters.ts'
import type { WordIndex } from './word-index.ts'

interface Canonical {
  mapped: MappedText
  /** More than accents was taken away: nobody writes like that by habit. */
  disguised: boolean
}

interface Place {
  from: number
  to: number
}

/** What a word is read as, worked out once however often it stands in the text. */
interface Reading {
  /** In lower case, look-alikes and leet digits read as letters. */
  word: string
  /** A known word may begin with it. */
  begins: boolean
  /** It is neither glued nor mistyped. */
  isPlain: boolean
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
/** Words of which a text has more are hardly ever repeated in it, and keeping them costs more than reading them again. */
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
  private readonly readings = new Map<string, Reading>()
  private readonly fragments: Fragment[]
  private readonly folded: string
  /** Null as long as nothing was read otherwise than it is folded: most texts need none. */
  private writer: MappedWriter | null = null

  constructor(source: MappedText, folded: MappedText, index: WordIndex, table: Confusables) {
    this.source = source
    this.folded = folded.text
    this.index = index
    this.table = table
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
      this.parted(run.map(({ reading }) => reading.word).join(''), (at) => run[at] as Fragment)
      from = to
    }
    return last
  }

  /** A known word in pieces, as "in-struc tions": the longest that the next pieces make. */
  private closed(first: number): number {
    const { reading } = this.fragments[first] as Fragment
    if (!reading.begins) return 0
    let { word } = reading
    let next = 0
    for (let at = first + 1; at < this.fragments.length && this.gap(at) <= MAX_GAP && this.isClosable(at); at++) {
      word += (this.fragments[at] as Fragment).reading.word
      if (word.length > MAX_CLOSED || !this.index.mayBegin(word)) break
      if (word.length >= MIN_CLOSED && this.index.has(word)) next = at + 1
    }
    if (next === 0) return 0
    const pieces = this.fragments.slice(first, next)
    // Two words of rules side by side are two words, though a third rule may write them as one.
    if (pieces.every((piece) => this.index.has(piece.reading.word))) return 0
    const whole = { from: (pieces[0] as Fragment).from, to: (pieces.at(-1) as Fragment).to }
    this.put(pieces.map((piece) => piece.reading.word).join(''), whole)
    this.disguised = true
    return next
  }

  private single(at: number): number {
    const fragment = this.fragments[at] as Fragment
    const { reading } = fragment
    if (reading.isPlain) this.put(reading.word, fragment)
    else this.mended(reading, fragment)
    return at + 1
  }

  private mended(reading: Reading, place: Place): void {
    const { word } = reading
    const isKnown = this.index.has(word) || isUnspaced(word.charCodeAt(0))
    const parts = isKnown ? [place] : this.capitalParts(place)
    const corrected = isKnown || parts.length > 1 ? null : this.index.corrected(word)
    if (parts.length > 1) this.capitals(parts)
    else if (corrected !== null) this.put(corrected, place)
    else if (!isKnown && this.isGlued(word)) this.parted(word, () => place)
    else {
      reading.isPlain = true
      this.put(word, place)
    }
    if (corrected !== null) this.disguised = true
  }

  private capitals(parts: readonly Place[]): void {
    parts.forEach((part, at) => {
      if (at > 0) this.blank(part)
      const { word } = this.readingAt(part.from, part.to)
      this.put(this.index.has(word) ? word : (this.index.corrected(word) ?? word), part)
    })
    this.disguised = true
  }

  /** Most of its letters belong to two known words or more: a long word holds a short one by chance. */
  private isGlued(word: string): boolean {
    if (word.length < MIN_GLUED || word.length > MAX_READ) return false
    let [covered, words] = [0, 0]
    for (let at = 0; at < word.length; ) {
      const known = this.index.longestAt(word, at, MIN_PART)
      covered += known
      if (known > 0) words++
      at += Math.max(known, 1)
    }
    return words > 1 && covered >= MIN_COVERED * word.length
  }

  /** A run of letters cut where known words begin; each letter goes back to the place that it came from. */
  private parted(word: string, placeOf: (at: number) => Place): void {
    let inWord = false
    for (let at = 0; at < word.length; ) {
      const known = this.index.longestAt(word, at, MIN_PART)
      if (at > 0 && (known > 0 || !inWord)) this.blank(placeOf(at))
      const end = at + Math.max(known, 1)
      if (known > 0) this.disguised = true
      for (; at < end; at++) this.letters(word.charAt(at), placeOf(at))
      inWord = known === 0
    }
  }

  /** "IgnoreAllRules": parted before capitals where that makes known words of a good part; other names are left whole. */
  private capitalParts(whole: Place): readonly Place[] {
    if (this.isInOneCase(whole)) return [whole]
    const parts = capitalParts(this.source.text, whole)
    if (parts.length === 1) return parts
    const isKnown = ({ from, to }: Place): boolean =>
      to - from >= MIN_SPACED && this.index.has(this.readingAt(from, to).word)
    const known = parts.filter(isKnown).reduce((sum, { from, to }) => sum + to - from, 0)
    return known > MIN_CAPITALS * (whole.to - whole.from) ? parts : [whole]
  }

  /** Behind its first letter nothing was folded. */
  private isInOneCase({ from, to }: Place): boolean {
    for (let at = from + 1; at < to; at++)
      if (this.source.text.charCodeAt(at) !== this.folded.charCodeAt(at)) return false
    return true
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
      if (!CLOSED_MARKS.includes(this.source.text.charAt(unit))) return false
    return true
  }

  private readingAt(from: number, to: number): Reading {
    const own = this.source.text.slice(from, to)
    const known = this.readings.get(own)
    if (known !== undefined) return known
    const word = to - from > MAX_READ ? own.toLowerCase() : this.wordOf(own)
    const reading = { word, begins: this.index.mayBegin(word), isPlain: false }
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

  /** Digits at the end of a word that no rule knows number it, as in "gpt4". */
  private withoutLeet(word: string): string {
    const letters = leetRead(word, 'i')
    const known = [letters, leetRead(word, 'l')].find((reading) => this.index.has(reading))
    if (known === undefined && !/[0-9@$!|]\p{L}/u.test(word)) return word
    this.disguised = true
    return known ?? letters
  }

  private put(word: string, { from, to }: Place): void {
    if (this.writer === null && word.length === to - from && this.folded.startsWith(word, from)) return
    if (word.length !== to - from) this.letters(word, { from, to })
    else for (let at = 0; at < word.length; at++) this.letters(word.charAt(at), { from: from + at, to: from + at + 1 })
  }

  private letters(word: string, { from, to }: Place): void {
    const { startOffsets, endOffsets } = this.source
    const writer = this.writer ?? this.begin(from)
    writer.push(word, startOffsets[from] as number, endOffsets[to - 1] as number)
  }

  /** Between two words that were one, at the place where the second begins. */
  private blank(place: Place): void {
    this.letters(' ', place)
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

const CLOSED_MARKS = " -_.*~\u00b7\u2022\u2010\u2011\u2013/|+^`'"
const isLeet = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 64 || code === 36 || code === 33 || code === 124
const LEET_LETTERS: Readonly<Record<string, string>> = {
  0: 'o',
  1: 'i',
  2: 'z',
  3: 'e',
  4: 'a',
  5: 's',
  6: 'g',
  7: 't',
  8: 'b',
  9: 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
}
/** The other reading of the strokes that stand for an i is an l. */
function leetRead(word: string, stroke: 'i' | 'l'): string {
  let read = ''
  for (let at = 0; at < word.length; at++) {
    const letter = LEET_LETTERS[word.charAt(at)]
    read += letter === undefined ? word.charAt(at) : letter === 'i' ? stroke : letter
  }
  return read
}

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

/** "IgnoreAllRules" and "ignoreAllRules": a small letter before a capital parts. */
function capitalParts(text: string, { from, to }: Place): Place[] {
  const parts: Place[] = []
  let begin = from
  for (let at = from + 1; at < to; at++) {
    if (!isCapital(text.charCodeAt(at)) || isCapital(text.charCodeAt(at - 1))) continue
    parts.push({ from: begin, to: at })
    begin = at
  }
  return [...parts, { from: begin, to }]
}

const isCapital = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 0x410 && code <= 0x42f)

const isUnspaced = (code: number): boolean => (code >= 0x3041 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff)

/** A blank between two letters of a script that has none. */
const isSpacedScript = (text: string, from: number, to: number): boolean =>
  text.charCodeAt(from) === 32 && isUnspaced(text.charCodeAt(from - 1)) && isUnspaced(text.charCodeAt(to))
