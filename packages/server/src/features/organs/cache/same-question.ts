/** Whether two prompts that share their words may still ask different things. What this does not find, nobody has shown
 *  to be the same question. */

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu
const NUMBER = /\p{N}/u
const NEGATION =
  /^(?:not?|non|none|never|nothing|nobody|neither|nor|without|except|cannot|\p{L}+n['’]t|nicht|kein\p{L}*|nie|niemals|ohne|pas|jamais|sans|nunca|sin)$/u
const SENTENCE_START = /(?:^|[.!?:;\n]\s*|["“„«(]\s*)$/u

/** What differs between the two, or null where nothing that is looked at does. */
export function differenceOf(one: string, other: string): string | null {
  const [a, b] = [read(one), read(other)]
  if (!isSame(a.words.filter(isNumber), b.words.filter(isNumber))) return 'numbers'
  if (!isSame(a.words.filter(isNegation), b.words.filter(isNegation))) return 'negation'
  if (!a.names.isSubsetOf(b.known) || !b.names.isSubsetOf(a.known)) return 'names'
  const [counted, others] = [countsOf(a.words), countsOf(b.words)]
  const isShared = (word: string) => counted.get(word) === others.get(word)
  return isSame(a.words.filter(isShared), b.words.filter(isShared)) ? null : 'the order of the words'
}

interface Prompt {
  words: string[]
  known: Set<string>
  names: Set<string>
}

function read(text: string): Prompt {
  const normal = text.normalize('NFKC')
  const [words, names]: [string[], Set<string>] = [[], new Set()]
  for (const { 0: written, index } of normal.matchAll(WORD)) {
    const word = written.toLowerCase()
    words.push(word)
    // A capital letter that does not begin a sentence.
    const isCapital = /^\p{Lu}/u.test(written) && !SENTENCE_START.test(normal.slice(Math.max(0, index - 8), index))
    if (isCapital) names.add(word)
  }
  return { words, known: new Set(words), names }
}

const isNumber = (word: string) => NUMBER.test(word)
const isNegation = (word: string) => NEGATION.test(word)
const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((word, at) => word === b[at])

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
