/** Porter's stemmer (1980), with the stems of SQLite's tokenizer `porter`, for code that has no index at hand. */

const C = '(?:[^aeiouy]|(?<=^|[aeiou])y)'
const V = '(?:[aeiou]|(?<=[^aeiou])y)'
/** At least one, exactly one, and more than one vowel-consonant pair; a vowel at all. */
const SOME = new RegExp(`^${C}*${V}+${C}`)
const ONE = new RegExp(`^${C}*${V}+${C}+${V}*$`)
const MORE = new RegExp(`^${C}*${V}+${C}+${V}+${C}`)
const VOWEL = new RegExp(`^${C}*${V}`)
/** A short syllable at the end: consonant, vowel, and a consonant other than w, x and y. */
const SHORT = new RegExp(`${C}${V}[^aeiouwxy]$`)

type Endings = readonly (readonly [ending: string, instead: string])[]
const SECOND: Endings = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['logi', 'log'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
]
const THIRD: Endings = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
]
const LAST = /(?:ement|ment|ance|ence|able|ible|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/

/** Of one word in small letters. */
export function stem(word: string): string {
  if (word.length < 3 || word.length > 64) return word
  let stemmed = withoutPast(word.replace(/(?<=ss|i)es$|(?<!s)s$/, ''))
  if (stemmed.endsWith('y') && VOWEL.test(stemmed.slice(0, -1))) stemmed = `${stemmed.slice(0, -1)}i`
  stemmed = replaced(replaced(stemmed, SECOND), THIRD)
  const last = LAST.exec(stemmed)
  if (last !== null && MORE.test(stemmed.slice(0, last.index))) stemmed = stemmed.slice(0, last.index)
  const bare = stemmed.slice(0, -1)
  if (stemmed.endsWith('e') && (MORE.test(bare) || (SOME.test(bare) && !(ONE.test(bare) && SHORT.test(bare)))))
    stemmed = bare
  return stemmed.endsWith('ll') && MORE.test(stemmed) ? stemmed.slice(0, -1) : stemmed
}

function withoutPast(word: string): string {
  if (word.endsWith('eed')) return SOME.test(word.slice(0, -3)) ? word.slice(0, -1) : word
  const bare = word.replace(/(?:ed|ing)$/, '')
  if (bare === word || !VOWEL.test(bare)) return word
  if (/(?:at|bl|iz)$/.test(bare)) return `${bare}e`
  if (/([^aeioulsz])\1$/.test(bare)) return bare.slice(0, -1)
  return ONE.test(bare) && SHORT.test(bare) ? `${bare}e` : bare
}

function replaced(word: string, endings: Endings): string {
  for (const [ending, instead] of endings) {
    if (!word.endsWith(ending)) continue
    const bare = word.slice(0, -ending.length)
    return SOME.test(bare) ? bare + instead : word
  }
  return word
}
