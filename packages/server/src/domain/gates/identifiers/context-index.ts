/** The words that give numbers their meaning, of all rows together: a text is read once however many rows there are. */
import { unitAt } from '../../text/code-points.ts'
import { firstPlace } from '../../text/mapped-text.ts'
import { int32s } from '../../text/slab.ts'
import { extended, HashSet } from '../../text/word-map.ts'
import { isLetterCode } from '../detectors/scanner.ts'

interface Phrase {
  row: number
  words: readonly string[]
  /** Written in capitals alone, and so looked for: `EIN` is a number where `ein` is an article. */
  cased: boolean
}

export interface Place {
  from: number
  to: number
}

const BEFORE = 48
const BEHIND = 12
const MAX_WORD = 40
/** Scripts that are written without blanks, or whose words take endings: a phrase is found inside a run of letters. */
const UNPARTED = /[\u0600-\u06ff\u0900-\u0dff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/

export class ContextIndex {
  private readonly byFirstWord = new Map<string, Phrase[]>()
  /** Most words of a text begin no phrase and need not be looked up. */
  private readonly firstWords = new HashSet()
  private readonly unparted = new Map<string, number[]>()

  add(row: number, phrases: readonly string[]): void {
    for (const phrase of phrases) {
      if (UNPARTED.test(phrase)) this.unparted.set(phrase, [...(this.unparted.get(phrase) ?? []), row])
      else this.addWords({ row, words: phrase.split(' '), cased: phrase !== phrase.toLowerCase() })
    }
  }

  private addWords(phrase: Phrase): void {
    const first = (phrase.words[0] as string).toLowerCase()
    this.byFirstWord.set(first, [...(this.byFirstWord.get(first) ?? []), phrase])
    this.firstWords.add(hashOf(first, 0, first.length))
  }

  /** By row, ascending: where one of its phrases stands. */
  places(text: string): Map<number, Place[]> {
    const found = new Map<number, Place[]>()
    const add = (row: number, place: Place): void => {
      const own = found.get(row)
      if (own) own.push(place)
      else found.set(row, [place])
    }
    const words = wordsIn(text)
    for (let at = 0; at < words.count; at++) {
      const [from, to] = [words.from[at] as number, words.to[at] as number]
      if (!this.firstWords.mayHold(hashOf(text, from, to))) continue
      for (const phrase of this.byFirstWord.get(text.slice(from, to).toLowerCase()) ?? []) {
        const last = at + phrase.words.length - 1
        if (last < words.count && isSaid(phrase, text, words, at))
          add(phrase.row, { from, to: words.to[last] as number })
      }
    }
    if (UNPARTED.test(text)) this.addUnparted(text, add)
    for (const places of found.values()) places.sort((one, other) => one.from - other.from)
    return found
  }

  private addUnparted(text: string, add: (row: number, place: Place) => void): void {
    for (const [phrase, rows] of this.unparted)
      for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + phrase.length))
        for (const row of rows) add(row, { from: at, to: at + phrase.length })
  }
}

/** Of a word in small letters, whatever case it is written in. */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    hash = extended(hash, code < 128 ? code | 32 : NOT_ASCII)
  }
  return hash
}

/** Letters beyond ASCII count as one: their case is another unit. */
const NOT_ASCII = 128

const isSaid = ({ words, cased }: Phrase, text: string, said: Words, at: number): boolean =>
  words.every((word, n) => {
    const own = text.slice(said.from[at + n], said.to[at + n])
    return own === word || (!cased && own.toLowerCase() === word)
  })

interface Words {
  from: Int32Array
  to: Int32Array
  count: number
}

/** Runs of letters or of digits; a long one is no word. Marks that stand inside a name part it: N.I.F., social-security. */
function wordsIn(text: string): Words {
  const room = (text.length + 3) >> 1
  const words: Words = { from: int32s(room), to: int32s(room), count: 0 }
  let from = -1
  for (let at = 0; at <= text.length; at++) {
    const code = unitAt(text, at)
    if (isLetterCode(code) || code > 127) {
      if (from < 0) from = at
      continue
    }
    if (from >= 0 && at - from <= MAX_WORD) {
      words.from[words.count] = from
      words.to[words.count++] = at
    }
    from = -1
  }
  return words
}

/** Whether one of the ascending places lies close before from..to, or right behind it. */
export function isNearOne(places: readonly Place[], from: number, to: number): boolean {
  for (let at = firstPlace(places.length, (n) => places[n]!.from >= from - BEFORE); at < places.length; at++) {
    const place = places[at]!
    if (place.from >= to + BEHIND) return false
    if (place.to <= from || place.from >= to) return true
  }
  return false
}
