/** Arithmetic in words, read as the expression it means: "twenty three plus 4", "15 percent of 200", "divide 10 by 4". */

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const SMALL = new Map(UNITS.split(' ').map((word, value) => [word, value]))
const TENS = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ').map((word, at) => [word, 20 + 10 * at]),
)
const LARGE = new Map([
  ['thousand', 1_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
])

const OPERATORS: readonly (readonly [words: string, sign: string])[] = [
  ['multiplied by', '*'],
  ['divided by', '/'],
  ['times', '*'],
  ['over', '/'],
  ['plus', '+'],
  ['minus', '-'],
  ['x', '*'],
  ['\u00d7', '*'],
  ['\u00f7', '/'],
  ['\u2212', '-'],
]

/** `$1` and `$2` are numbers or signs between numbers. Spaces are single here. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [/^add (.+) (?:and|to) (.+)$/, '($1)+($2)'],
  [/^subtract (.+) from (.+)$/, '($2)-($1)'],
  [/^multiply (.+) (?:by|and|with) (.+)$/, '($1)*($2)'],
  [/^divide (.+) by (.+)$/, '($1)/($2)'],
  [/^(?:the )?sum of (.+) and (.+)$/, '($1)+($2)'],
  [/^(?:the )?product of (.+) and (.+)$/, '($1)*($2)'],
  [/^(?:the )?difference (?:between|of) (.+) and (.+)$/, '($1)-($2)'],
  [/^(?:the )?quotient of (.+) and (.+)$/, '($1)/($2)'],
  [/^double (.+)$/, '2*($1)'],
  [/^(?:the )?half of (.+)$/, '($1)/2'],
  [/^(.+) ?(?:percent|per cent|%) of (.+)$/, '($1)/100*($2)'],
  [/^(.+) squared$/, '($1)*($1)'],
]

const EXPRESSION = /^[-+*/().\d ]+$/
const MAX_LENGTH = 512

/** The expression, or null where the text is none. `text` has single spaces. */
export function spokenExpression(text: string): string | null {
  const lower = text.toLowerCase().trim()
  if (lower === '' || lower.length > MAX_LENGTH) return null
  for (const [pattern, template] of SENTENCES) {
    const match = pattern.exec(lower)
    const parts = match?.slice(1).map(plainExpression)
    if (parts?.every((part) => part !== null))
      return template.replace(/\$([12])/g, (_, at) => parts[Number(at) - 1] as string)
  }
  return plainExpression(lower)
}

/** Numbers and operators alone: what a sentence combines is never a sentence itself, so nothing is read twice over. */
function plainExpression(lower: string): string | null {
  const signs = OPERATORS.reduce((read, [words, sign]) => read.replaceAll(` ${words} `, ` ${sign} `), ` ${lower} `)
  const digits = numbersIn(signs.trim())
  return digits !== null && EXPRESSION.test(digits) && /\d/.test(digits) ? digits : null
}

/** Every run of number words as one number; null where a word is none. */
function numbersIn(text: string): string | null {
  const out: string[] = []
  let run: string[] = []
  const close = (): boolean => {
    if (run.length === 0) return true
    const value = numberOf(run)
    run = []
    if (value !== null) out.push(String(value))
    return value !== null
  }
  for (const word of text.split(/[ ]|(?<=[a-z])-(?=[a-z])/)) {
    if (isNumberWord(word) || (word === 'and' && run.length > 0)) run.push(word)
    else if (!close()) return null
    // `1,000` is a thousand.
    else out.push(/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(word) ? word.replaceAll(',', '') : word)
  }
  return close() ? out.join(' ') : null
}

const isNumberWord = (word: string): boolean =>
  SMALL.has(word) || TENS.has(word) || LARGE.has(word) || word === 'hundred' || word === 'a'

/** "two hundred and five thousand three"; null for words in an order that names no number. */
function numberOf(words: readonly string[]): number | null {
  let total = 0
  let group = 0
  let last = Number.POSITIVE_INFINITY
  for (const word of words) {
    if (word === 'and') continue
    const small = word === 'a' ? 1 : (SMALL.get(word) ?? TENS.get(word))
    if (small !== undefined) {
      if (group % 10 !== 0 || (group % 100 !== 0 && small >= 10)) return null
      group += small
    } else if (word === 'hundred') group = (group || 1) * 100
    else {
      const scale = LARGE.get(word)!
      if (scale >= last) return null
      total += (group || 1) * scale
      last = scale
      group = 0
    }
  }
  return words.at(-1) === 'a' ? null : total + group
}
