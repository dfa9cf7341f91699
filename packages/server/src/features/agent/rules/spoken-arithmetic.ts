/** Arithmetic in words, read as the expression it means: "twenty three plus 4", "15 percent of 200", "divide 10 by 4". */
import grammar from './grammar.json' with { type: 'json' }

const { units, tens, large, operators, sentences } = grammar.arithmetic
const SMALL = new Map(units.split(' ').map((word, value) => [word, value]))
const TENS = new Map(tens.split(' ').map((word, at) => [word, 20 + 10 * at]))
const LARGE = new Map(Object.entries(large))

/** `$1` and `$2` of a template are numbers or signs between numbers. Spaces are single here. */
const SENTENCES = sentences.map(([pattern, template]) => [new RegExp(pattern!), template!] as const)

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
  const signs = operators.reduce((read, [words, sign]) => read.replaceAll(` ${words} `, ` ${sign} `), ` ${lower} `)
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
