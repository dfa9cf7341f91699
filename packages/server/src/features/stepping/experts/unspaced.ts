// Chinese and Japanese put no spaces between words: a run of their letters is cut at the words the lexicon knows, longest
// first, and what stands between two of them is one word. Every place is looked at a bounded number of times.
import { characterClass } from '../../../domain/text/character-class.ts'
import { findLanguage } from './languages.ts'

const isUnspaced = characterClass(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/u)
const WORDS = new Set(
  [findLanguage('zh'), findLanguage('ja')].flatMap((language) => [
    ...language.verbs.flatMap(({ forms, past, denied }) => [...forms, ...past, ...denied]),
    ...[language.universal, language.negations, language.between, language.asking, language.small].flat(),
    ...language.other,
  ]),
)
const MAX_LENGTH = Math.max(...[...WORDS].map(({ length }) => length))

/** Where the words of the run end; the last one ends with it. One end where nothing has to be cut. */
export function wordEnds(run: string): number[] {
  const ends: number[] = []
  const end = (at: number): void => {
    if (at > (ends.at(-1) ?? 0)) ends.push(at)
  }
  let inside: boolean | null = null
  for (let at = 0; at < run.length; ) {
    const unspaced = isUnspaced(run.codePointAt(at)!)
    if (inside !== null && unspaced !== inside) end(at)
    inside = unspaced
    const size = unspaced ? knownAt(run, at) : 0
    if (size > 0) {
      end(at)
      end(at + size)
    }
    at += size || (run.codePointAt(at)! > 0xffff ? 2 : 1)
  }
  end(run.length)
  return ends
}

function knownAt(run: string, at: number): number {
  for (let size = Math.min(MAX_LENGTH, run.length - at); size > 0; size--)
    if (WORDS.has(run.slice(at, at + size))) return size
  return 0
}
