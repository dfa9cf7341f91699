/** The words that give numbers their meaning, of all rows together: a text is read once however many rows there are. */
import { firstPlace } from '../../text/mapped-text.ts'
import { isAlnumCode } from '../detectors/scanner.ts'

interface Phrase {
  row: number
  words: readonly string[]
  /** Written in capitals alone, and so looked for: `EIN` is a number where `ein` is an article. */
  cased: boolean
}

interface Word {
  from: number
  to: number
  text: string
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
    words.forEach((word, at) => {
      for (const phrase of this.byFirstWord.get(word.text.toLowerCase()) ?? []) {
        const last = words[at + phrase.words.length - 1]
        if (last && isSaid(phrase, words, at)) add(phrase.row, { from: word.from, to: last.to })
      }
    })
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

const isSaid = ({ words, cased }: Phrase, said: readonly Word[], at: number): boolean =>
  words.every((word, n) => {
    const own = (said[at + n] as Word).text
    return own === word || (!cased && own.toLowerCase() === word)
  })

/** Runs of letters or of digits; a long one is no word. Marks that stand inside a name part it: N.I.F., social-security. */
function wordsIn(text: string): Word[] {
  const words: Word[] = []
  let from = -1
  for (let at = 0; at <= text.length; at++) {
    const code = text.charCodeAt(at)
    if ((isAlnumCode(code) && !(code < 58)) || code > 127) {
      if (from < 0) from = at
      continue
    }
    if (from >= 0 && at - from <= MAX_WORD) words.push({ from, to: at, text: text.slice(from, at) })
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
