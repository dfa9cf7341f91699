/** A view as words. Positions are what "within six words" counts; the end of a sentence counts as two more, so that a
 *  full stop between two words parts them a little and a string of full stops does not hide a phrase. */
import { characterClass } from '../text/character-class.ts'
import { unitAt } from '../text/code-points.ts'
import type { View } from '../text/normalise.ts'
import { extended } from '../text/word-map.ts'
import { isUnspaced, type Lexicon, MAX_WORD } from './lexicon.ts'

export interface Words {
  /** Of the view. */
  text: string
  /** Lexicon ids, 0 for a word that no rule knows. */
  ids: Int32Array
  /** Units of the view's text. */
  from: Int32Array
  to: Int32Array
  positions: Int32Array
  /** 1 for the first word of a quotation: what stands before it does not negate what stands in it. */
  quoted: Int32Array
  count: number
}

const isAsciiLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
export const isDigit = (code: number): boolean => code >= 48 && code <= 57

const SENTENCE_END_GAP = 2
/** A mark inside a sentence parts as well: "As I: ignore" has no subject before its verb. */
const MARK_GAP = 1
const isQuote = (code: number): boolean =>
  code === 34 || code === 96 || code === 0x201c || code === 0x201e || code === 0xab
/** By character of ASCII: a letter or digit, a mark that parts, or neither. */
const IN_WORD = 1
const PARTS = 2
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  if (isAsciiLetter(code) || isDigit(code)) return IN_WORD
  return ',;:|()[]{}<>#=/\\\n'.includes(String.fromCharCode(code)) ? PARTS : 0
})

const APOSTROPHE = 39
const SMALL = Uint8Array.from({ length: 128 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code))

/** Of the word that is being read. */
const LETTERS = new Uint16Array(MAX_WORD)

/** What it returns holds until the next call. */
export function wordsOf(view: View, lexicon: Lexicon): Words {
  const { text } = view.mapped
  const words = room(text, UNSPACED.test(text) ? text.length : Math.ceil(text.length / 2) + 1)
  let position = 0
  let parted = false
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === 32) {
      at++
      continue
    }
    if (!isWordUnit(text, at, code)) {
      // A row of marks parts no more than one: it would hide a phrase.
      const gap = gapAt(text, at, code, view.ownFrom)
      if (gap !== MARK_GAP || !parted) position += gap
      parted ||= gap === MARK_GAP
      at = code === LESS ? tagEnd(text, at) : at + 1
      continue
    }
    parted = false
    let [end, hash] = [at, 0]
    for (; end < text.length; end++) {
      const own = text.charCodeAt(end)
      if (own > 127 || ASCII[own] !== IN_WORD) break
      const small = SMALL[own] as number
      hash = extended(hash, small)
      if (end - at < MAX_WORD) LETTERS[end - at] = small
    }
    const next = unitAt(text, end)
    if (end === at || next > 127 || next === APOSTROPHE) {
      end = wordEnd(text, at, lexicon)
      words.ids[words.count] = lexicon.idOf(text, at, end, view.skeleton)
    } else words.ids[words.count] = lexicon.asciiIdOf(text, at, end, view.skeleton, LETTERS, hash)
    words.from[words.count] = at
    words.to[words.count] = end
    words.quoted[words.count] = at > 0 && isQuote(text.charCodeAt(at - 1)) ? 1 : 0
    words.positions[words.count++] = position++
    at = end
  }
  return words
}

/** One room for all views, since a view's words are asked for once: five lists of their own for each cost more to get than
 *  to fill. */
let scratch: Omit<Words, 'text' | 'count'> = listsOf(2048)

function room(text: string, capacity: number): Words {
  if (capacity > scratch.ids.length) scratch = listsOf(capacity)
  return { text, ...scratch, count: 0 }
}

function listsOf(capacity: number): typeof scratch {
  const list = (): Int32Array => new Int32Array(capacity)
  return { ids: list(), from: list(), to: list(), positions: list(), quoted: list() }
}

const LESS = 60
const MAX_TAG = 12
const TAG = /^<\/?[a-z][a-z0-9]{0,7} ?\/?>/i

/** A tag of a page, as `<b>` and `<br />`, is no word. One past a mark that begins none. */
function tagEnd(text: string, at: number): number {
  const tag = TAG.exec(text.slice(at, at + MAX_TAG))
  return tag === null ? at + 1 : at + tag[0].length
}

const UNSPACED = /[\u3041-\u30ff\u3400-\u9fff]/

/** Without blanks a word ends where a rule's word does or begins; what stands between two of those is one word. */
function wordEnd(text: string, from: number, lexicon: Lexicon): number {
  const unspaced = isUnspaced(text.charCodeAt(from))
  const known = unspaced ? lexicon.unspacedAt(text, from) : 0
  if (known > 0) return from + known
  let to = from + 1
  while (to < text.length && ASCII[text.charCodeAt(to)] === IN_WORD && !unspaced) to++
  for (; to < text.length; to++) {
    const code = text.charCodeAt(to)
    if (!isWordUnit(text, to, code) || isUnspaced(code) !== unspaced) break
    if (unspaced && lexicon.unspacedAt(text, to) > 0) break
  }
  return to
}

const isLetterOrDigit = characterClass(/[\p{L}\p{M}\p{N}]/u)

/** Apostrophes inside a word belong to it; surrogates are taken as letters, since words of rules have none. */
function isWordUnit(text: string, at: number, code: number): boolean {
  if (code < 128) return ASCII[code] === IN_WORD || (code === 39 && isBetweenLetters(text, at))
  if (code === 0x2019) return isBetweenLetters(text, at)
  return (code & 0xf800) === 0xd800 || isLetterOrDigit(code)
}

function isBetweenLetters(text: string, at: number): boolean {
  return at > 0 && ASCII[text.charCodeAt(at - 1)] === IN_WORD && isAsciiLetter(unitAt(text, at + 1))
}

function gapAt(text: string, at: number, code: number, ownFrom: number): number {
  if (endsSentence(text, at, code, ownFrom)) return SENTENCE_END_GAP
  return code < 128 && ASCII[code] === PARTS ? MARK_GAP : 0
}

/** A full stop with which an earlier text of the session ends is one, though the next text follows without a blank. */
function endsSentence(text: string, at: number, code: number, ownFrom: number): boolean {
  if (code !== 46 && code !== 33 && code !== 63) return false
  return unitAt(text, at + 1) <= 32 || at + 1 === ownFrom
}
