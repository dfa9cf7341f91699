/** The words of a rule in order, each within so many words of the one before. One automaton for all rules walks the
 *  words once and keeps, for each slot, the latest place where the slots before it were filled: since only the distance
 *  to the next slot matters, the latest is always the best, and nothing is ever tried twice. */
import { AMOUNT, type Lexicon, NUMBER } from './lexicon.ts'
import type { Words } from './words.ts'

/** One alternative of a rule, as it stands in the rules data. A phrase of several words counts at its first. */
export interface WordSequence {
  within: number
  slots: string[][]
  /** The sequence does not count right after one of these words: a negation, or somebody else's doing. */
  not_after?: string[]
  /** Nor right before one of these: a negation that stands behind its verb. */
  not_before?: string[]
  /** Nor with one of these between its first and its last word. */
  unless?: string[]
  /** No graver than a hold right after one of these: what somebody told somebody else to do. */
  hold_after?: string[]
  /** Nor right before one of these: orders about one thing are not all of them. */
  hold_before?: string[]
  /** Nor with one of these between its first and its last word: somebody's own orders, or other things than orders. */
  hold_between?: string[]
  /** No graver than a hold with one of these in its sentence: likely about something else, and easily added. */
  hold_with?: string[]
  /** No graver than a hold right after any word but these: "children ignore your rules" tells nobody to. */
  led_by?: string[]
  /** Words that oblige somebody ("must", "has to"), and who they may speak of right before these words: "the recipient shall
   *  disregard any instruction" is no graver than a hold, "you must" and "the assistant shall" are. */
  obliged_by?: string[]
  obliged?: string[]
  /** No graver than this, whatever its rule says. */
  severity?: 'hold'
  /** Only for texts of these origins. */
  origins?: string[]
}

interface WordMatch {
  from: number
  to: number
  severity?: 'hold'
}

export interface WordScan {
  /** By the number of the pattern; nothing where it did not match. */
  matches: (WordMatch[] | undefined)[]
  /** Work done, for the test that doubling the text no more than doubles it. */
  steps: number
}

/** How far back a negation reaches: "do not ever ignore". */
const NEGATION_REACH = 2
/** How far a sentence is read on either side of a match. */
const SENTENCE_REACH = 24
/** Words further apart than this stand in two sentences. */
const SENTENCE_GAP = 2

/** In a text of fewer words it costs more to find out which sequences can match than to try them all. */
const FEW_WORDS = 64

/** What a word may begin, as numbers in a row, so many for each: the word, the sequence, its slot in that and the phrase. */
const ENTERED = 4

/** Entries as numbers in a row, so many for each: the sequence, its slot among the slots of all sequences, how far the slot
 *  before may lie (FIRST for a slot without one), and the phrase. */
const ENTRY = 4
const FIRST = -1
const NO_WORDS: string[] = []

/** The entries for texts of one origin, one word of the lexicon after the other, and where those of each word begin and end:
 *  with a list for each word the rules took 3 MB more of heap in every thread that has them. */
interface OriginEntries {
  numbers: Int32Array
  begins: Int32Array
  endOffsets: Int32Array
}

/** Words before a place; many sequences name the same ones, and the last place asked about is remembered for all of them. */
interface Preceding {
  ids: ReadonlySet<number>
  words: Words | null
  at: number
  answer: boolean
}

interface Sequence {
  pattern: number
  within: number
  notAfter: Preceding
  notBefore: ReadonlySet<number>
  unless: ReadonlySet<number>
  holdAfter: Preceding
  holdBefore: ReadonlySet<number>
  holdBetween: ReadonlySet<number>
  holdWith: ReadonlySet<number>
  ledBy: ReadonlySet<number>
  obligedBy: ReadonlySet<number>
  obliged: ReadonlySet<number>
  mostly: 'hold' | undefined
  origins: Set<string> | null
  /** Its first slot and its last among the slots of all. */
  first: number
  end: number
}

/** By slot of all sequences together, where it was filled last: the word, its position and the word that began it all. Only
 *  what is stamped with the number of this scan holds. */
interface States {
  /** More scans than 32 bits count are made in a day or two. */
  stamps: Float64Array
  word: Int32Array
  position: Int32Array
  start: Int32Array
  scan: number
}

/** Of one text: which words of the lexicon stand in it, which slots have one of them and how many slots of each sequence do.
 *  All zero between two texts; `left` is what is left of the entries. */
interface Presence {
  isHere: Uint8Array
  isFilled: Uint8Array
  filled: Int32Array
  left: OriginEntries
}

export class WordPatterns {
  private readonly sequences: Sequence[] = []
  private readonly entries: number[] = []
  private readonly byOrigin = new Map<string, OriginEntries>()
  private readonly preceding = new Map<string, Preceding>()
  private readonly idSets = new Map<readonly string[], ReadonlySet<number>>()
  /** By their words, the numbers of phrases, and those of each list: sequences name the same ones many times over. */
  private readonly phrases = new Map<string, number>()
  private readonly lists = new Map<readonly string[], readonly number[]>()
  /** The words of all phrases in a row, and where each phrase begins; the last one ends where the next would. */
  private readonly spelled: number[] = []
  private readonly phraseBegins: number[] = [0]
  private states: States = noStates(0, 0)
  private presence: Presence = noPresence(0, 0, 0, 0)
  private slots = 0
  private patterns = 0
  /** One more than the highest word and slot of an entry. */
  private words = AMOUNT + 1
  private deepest = 0

  /** The number of the pattern, by which its matches are told. */
  add(sequences: readonly WordSequence[], lexicon: Lexicon): number {
    const pattern = this.patterns++
    for (const sequence of sequences) {
      const index = this.sequences.length
      sequence.slots.forEach((phrases, slot) => {
        for (const phrase of this.phrasesOf(phrases, lexicon)) this.enter(index, slot, phrase)
      })
      this.sequences.push(this.compiled(sequence, pattern, lexicon))
      this.slots += sequence.slots.length
    }
    this.byOrigin.clear()
    return pattern
  }

  scan(words: Words, origin: string): WordScan {
    const matches: WordScan['matches'] = []
    const all = this.entriesFor(origin)
    const { states, spelled, phraseBegins } = this
    const { stamps, word, position } = states
    const { ids, positions, count } = words
    const scan = ++states.scan
    let steps = 0
    const { numbers, begins, endOffsets } = count > FEW_WORDS ? this.possible(all, words) : all
    const known = begins.length
    for (let at = 0; at < count; at++) {
      steps++
      const id = ids[at] as number
      if (id >= known) continue
      const end = endOffsets[id] as number
      const here = positions[at] as number
      for (let entry = begins[id] as number; entry < end; entry += ENTRY) {
        const sequence = numbers[entry] as number
        const slot = numbers[entry + 1] as number
        const reach = numbers[entry + 2] as number
        steps++
        if (reach !== FIRST) {
          if (stamps[sequence] !== scan) continue
          const before = word[slot - 1] as number
          if (before < 0 || before >= at || here - (position[slot - 1] as number) > reach) continue
        }
        const phrase = numbers[entry + 3] as number
        const begin = phraseBegins[phrase] as number
        const others = (phraseBegins[phrase + 1] as number) - begin - 1
        steps += others
        if (others > 0 && !follow(spelled, begin + 1, others, words, at + 1)) continue
        const rule = this.sequences[sequence] as Sequence
        const match = step(rule, sequence, slot, states, words, at, at + others)
        if (match === null) continue
        matches[rule.pattern] ??= []
        matches[rule.pattern]?.push(match)
      }
    }
    return { matches, steps }
  }

  /** The entries of sequences of which every slot has a word in the text: no other can match, however often one of its
   *  words stands there. Exists for speed alone: 32 KiB of two words of rules over and over took 253,130 steps of `scan`
   *  and take 5,956; hostile texts of `npm run bench:guards` spend a tenth less in the threat gate. */
  private possible({ numbers, begins, endOffsets }: OriginEntries, { ids, count }: Words): OriginEntries {
    const { isHere, isFilled, filled } = this.presence
    const here: number[] = []
    for (let at = 0; at < count; at++) {
      const id = ids[at] as number
      if (id >= begins.length || isHere[id] === 1) continue
      isHere[id] = 1
      here.push(id)
      for (let entry = begins[id] as number; entry < (endOffsets[id] as number); entry += ENTRY) {
        const slot = numbers[entry + 1] as number
        if (isFilled[slot] === 1) continue
        isFilled[slot] = 1
        const sequence = numbers[entry] as number
        filled[sequence] = (filled[sequence] as number) + 1
      }
    }
    const { left } = this.presence
    let size = 0
    for (const id of here) {
      left.begins[id] = size
      for (let entry = begins[id] as number; entry < (endOffsets[id] as number); entry += ENTRY) {
        const { first, end } = this.sequences[numbers[entry] as number] as Sequence
        if (filled[numbers[entry] as number] !== end + 1 - first) continue
        for (let at = 0; at < ENTRY; at++) left.numbers[size++] = numbers[entry + at] as number
      }
      left.endOffsets[id] = size
    }
    for (const id of here) isHere[id] = 0
    isFilled.fill(0)
    filled.fill(0)
    return left
  }

  private entriesFor(origin: string): OriginEntries {
    const known = this.byOrigin.get(origin)
    if (known !== undefined) return known
    if (this.states.word.length !== this.slots) {
      this.states = noStates(this.sequences.length, this.slots)
      this.presence = noPresence(this.sequences.length, this.slots, this.words, this.entries.length / ENTERED)
    }
    const packed = this.packed(this.sequences.map(({ origins }) => origins?.has(origin) !== false))
    this.byOrigin.set(origin, packed)
    return packed
  }

  /** The entries of some sequences by their words, later slots first: a word that fills its own predecessor would be two
   *  words at once. */
  private packed(isOwn: readonly boolean[]): OriginEntries {
    const { entries, deepest, words } = this
    const offsets = new Int32Array(words * deepest)
    const keyAt = (at: number): number => (entries[at] as number) * deepest + deepest - 1 - (entries[at + 2] as number)
    let size = 0
    for (let at = 0; at < entries.length; at += ENTERED) {
      if (!isOwn[entries[at + 1] as number]) continue
      offsets[keyAt(at)]! += ENTRY
      size += ENTRY
    }
    for (let key = 1; key < offsets.length; key++) offsets[key]! += offsets[key - 1]!
    const [numbers, next] = [new Int32Array(size), new Int32Array(offsets.length)]
    next.set(offsets.subarray(0, -1), 1)
    for (let at = 0; at < entries.length; at += ENTERED) {
      const [sequence, slot] = [entries[at + 1] as number, entries[at + 2] as number]
      if (!isOwn[sequence]) continue
      const { first, within } = this.sequences[sequence] as Sequence
      const key = keyAt(at)
      const place = next[key] as number
      numbers[place] = sequence
      numbers[place + 1] = first + slot
      numbers[place + 2] = slot === 0 ? FIRST : within
      numbers[place + 3] = entries[at + 3] as number
      next[key] = place + ENTRY
    }
    const endOf = Int32Array.from({ length: words }, (_, word) => offsets[(word + 1) * deepest - 1] as number)
    const begins = new Int32Array(words)
    begins.set(endOf.subarray(0, -1), 1)
    return { numbers, begins, endOffsets: endOf }
  }

  private compiled(sequence: WordSequence, pattern: number, lexicon: Lexicon): Sequence {
    const ids = (list: string[] = NO_WORDS): ReadonlySet<number> => {
      const known = this.idSets.get(list) ?? new Set(list.map((word) => lexicon.add(word)))
      this.idSets.set(list, known)
      return known
    }
    const before = (list: string[] | undefined): Preceding => {
      const words = ids(list)
      const key = [...words].sort((one, other) => one - other).join()
      const known = this.preceding.get(key) ?? { ids: words, words: null, at: 0, answer: false }
      this.preceding.set(key, known)
      return known
    }
    return {
      pattern,
      within: sequence.within,
      notAfter: before(sequence.not_after),
      notBefore: ids(sequence.not_before),
      unless: ids(sequence.unless),
      holdAfter: before(sequence.hold_after),
      holdBefore: ids(sequence.hold_before),
      holdBetween: ids(sequence.hold_between),
      holdWith: ids(sequence.hold_with),
      ledBy: ids(sequence.led_by),
      obligedBy: ids(sequence.obliged_by),
      obliged: ids(sequence.obliged),
      mostly: sequence.severity,
      origins: sequence.origins ? new Set(sequence.origins) : null,
      first: this.slots,
      end: this.slots + sequence.slots.length - 1,
    }
  }

  private enter(sequence: number, slot: number, phrase: number): void {
    const word = this.spelled[this.phraseBegins[phrase] as number] as number
    this.entries.push(word, sequence, slot, phrase)
    // An amount is a number too.
    if (word === NUMBER) this.entries.push(AMOUNT, sequence, slot, phrase)
    this.words = Math.max(this.words, word + 1)
    this.deepest = Math.max(this.deepest, slot + 1)
  }

  private phrasesOf(list: readonly string[], lexicon: Lexicon): readonly number[] {
    const known = this.lists.get(list) ?? list.map((text) => this.phraseOf(text, lexicon))
    this.lists.set(list, known)
    return known
  }

  private phraseOf(text: string, lexicon: Lexicon): number {
    const known = this.phrases.get(text)
    if (known !== undefined) return known
    const phrase = this.phrases.size
    this.phrases.set(text, phrase)
    for (const word of text.split(' ')) this.spelled.push(lexicon.add(word))
    this.phraseBegins.push(this.spelled.length)
    return phrase
  }
}

/** Fills a slot whose predecessor, if it has one, is in reach. */
function step(
  rule: Sequence,
  sequence: number,
  slot: number,
  { stamps, word, position, start, scan }: States,
  words: Words,
  at: number,
  end: number,
): WordMatch | null {
  if (slot === rule.first) {
    if (follows(rule.notAfter, words, at)) return null
    if (stamps[sequence] !== scan) empty(word, rule)
    stamps[sequence] = scan
  }
  const begun = slot === rule.first ? at : (start[slot - 1] as number)
  start[slot] = begun
  position[slot] = words.positions[end] as number
  word[slot] = end
  if (slot < rule.end) return null
  empty(word, rule)
  if (holds(rule.unless, words, begun, end) || precedes(rule.notBefore, words, end)) return null
  const place = { from: words.from[begun] as number, to: words.to[end] as number }
  return isDoubtful(rule, words, begun, end) ? { ...place, severity: 'hold' } : place
}

/** A call of `fill` would cost more than the few slots do. */
function empty(word: Int32Array, { first, end }: Sequence): void {
  for (let slot = first; slot <= end; slot++) word[slot] = -1
}

const noStates = (sequences: number, slots: number): States => ({
  stamps: new Float64Array(sequences),
  word: new Int32Array(slots),
  position: new Int32Array(slots),
  start: new Int32Array(slots),
  scan: 0,
})

function noPresence(sequences: number, slots: number, words: number, entries: number): Presence {
  const left = {
    numbers: new Int32Array(ENTRY * entries),
    begins: new Int32Array(words),
    endOffsets: new Int32Array(words),
  }
  return {
    isHere: new Uint8Array(words),
    isFilled: new Uint8Array(slots),
    filled: new Int32Array(sequences),
    left,
  }
}

/** Whether so many words from a place on are those of a phrase. */
function follow(spelled: readonly number[], from: number, count: number, words: Words, at: number): boolean {
  if (at + count > words.count) return false
  for (let i = 0; i < count; i++) if (words.ids[at + i] !== spelled[from + i]) return false
  return true
}

function follows(preceding: Preceding, words: Words, at: number): boolean {
  if (preceding.ids.size === 0) return false
  if (preceding.words !== words || preceding.at !== at) {
    preceding.words = words
    preceding.at = at
    preceding.answer = isPreceded(preceding.ids, words, at)
  }
  return preceding.answer
}

function isPreceded(ids: ReadonlySet<number>, words: Words, at: number): boolean {
  for (let back = 1; back <= NEGATION_REACH && back <= at; back++) {
    if (words.quoted[at - back + 1] === 1) return false
    const parted = (words.positions[at] as number) - (words.positions[at - back] as number) > back
    if (!parted && ids.has(words.ids[at - back] as number)) return true
  }
  return false
}

function isDoubtful(sequence: Sequence, words: Words, start: number, end: number): boolean {
  const { mostly, holdAfter, holdBefore, holdBetween, holdWith, ledBy } = sequence
  if (mostly === 'hold' || follows(holdAfter, words, start) || precedes(holdBefore, words, end)) return true
  if (holds(holdBetween, words, start, end) || isLedByAnother(ledBy, words, start)) return true
  if (obligesAnother(sequence, words, start)) return true
  if (holdWith.size === 0) return false
  return holds(holdWith, words, sentenceEdge(words, start, -1), sentenceEdge(words, end, 1))
}

/** Whether a word that is not among these stands right before a place, with no mark between. */
function isLedByAnother(ids: ReadonlySet<number>, words: Words, at: number): boolean {
  if (ids.size === 0 || at === 0 || words.quoted[at] === 1) return false
  const adjoins = (words.positions[at] as number) - (words.positions[at - 1] as number) === 1
  return adjoins && !ids.has(words.ids[at - 1] as number) && !beginsClause(words, at)
}

/** How far back an obligation is looked for: "must at all times always". */
const OBLIGED_REACH = 4

/** Whether the words are what somebody who is not addressed has to do. */
function obligesAnother({ obligedBy, obliged, ledBy }: Sequence, words: Words, at: number): boolean {
  if (obligedBy.size === 0) return false
  const isJoined = (place: number): boolean =>
    place > 0 && (words.positions[place] as number) - (words.positions[place - 1] as number) === 1
  // Only by words that lead an order: in "the sky is blue, so please ignore" nothing is said of the sky's duties.
  const isLed = (id: number): boolean => !obligedBy.has(id) && (ledBy.has(id) || obliged.has(id))
  let place = at
  while (isJoined(place) && at - place < OBLIGED_REACH && isLed(words.ids[place - 1] as number)) place--
  if (!isJoined(place) || !obligedBy.has(words.ids[place - 1] as number)) return false
  while (isJoined(place) && obligedBy.has(words.ids[place - 1] as number)) place--
  return isJoined(place) && !obliged.has(words.ids[place - 1] as number) && !beginsClause(words, place)
}

/** Behind a picture, or with a capital behind a word without one, though no mark says so. */
function beginsClause({ text, from }: Words, at: number): boolean {
  const [before, own] = [text.charAt(from[at - 1] as number), text.charAt(from[at] as number)]
  const isCapital = (letter: string): boolean => letter !== letter.toLowerCase()
  return (before.charCodeAt(0) & 0xf800) === 0xd800 || (isCapital(own) && !isCapital(before))
}

/** Whether one of the next words is among these, with no mark between. */
function precedes(ids: ReadonlySet<number>, words: Words, at: number): boolean {
  if (ids.size === 0) return false
  for (let ahead = 1; ahead <= NEGATION_REACH && at + ahead < words.count; ahead++) {
    if ((words.positions[at + ahead] as number) - (words.positions[at] as number) > ahead) return false
    if (ids.has(words.ids[at + ahead] as number)) return true
  }
  return false
}

function sentenceEdge(words: Words, from: number, step: 1 | -1): number {
  let at = from
  for (let read = 0; read < SENTENCE_REACH; read++) {
    const next = at + step
    if (next < 0 || next >= words.count) break
    if (Math.abs((words.positions[next] as number) - (words.positions[at] as number)) > SENTENCE_GAP) break
    at = next
  }
  return at
}

function holds(unless: ReadonlySet<number>, words: Words, start: number, end: number): boolean {
  if (unless.size === 0) return false
  for (let at = start; at <= end; at++) if (unless.has(words.ids[at] as number)) return true
  return false
}
