import { unitAt } from '../../text/code-points.ts'
import { mod97 } from './checksums.ts'
import { gluedWord, isAlnumCode, isDigitCode, isGluedBehind, isLetterCode, type Match } from './scanner.ts'
import wordLists from './word-lists.json' with { type: 'json' }

/** Country and length of the registered formats. */
const LENGTHS = new Map(Object.entries(wordLists.iban.lengths))
/** The specimens of the registry, which are nobody's. Only whole numbers count. */
const SPECIMEN_IBANS: ReadonlySet<string> = new Set(wordLists.specimens.specimenIbans)

export function ibans(text: string): Match[] {
  const found: Match[] = []
  for (let at = 0; at + 15 <= text.length; ) {
    const match =
      isDigitCode(text.charCodeAt(at + 2)) && isLetterCode(text.charCodeAt(at)) && isDigitCode(text.charCodeAt(at + 3))
        ? ibanAt(text, at)
        : null
    if (match) found.push(match)
    at = match ? match.to : at + 1
  }
  return found
}

function ibanAt(text: string, from: number): Match | null {
  const length = LENGTHS.get(text.slice(from, from + 2).toUpperCase())
  // The check digits vouch for it behind a word, as in IBANDE89; inside an encoded value they would do so by chance.
  if (length === undefined || gluedWord(text, from) === null) return null
  let value = ''
  let at = from
  while (value.length < length && at < text.length) {
    if (isAlnumCode(text.charCodeAt(at))) value += text.charAt(at++)
    else if (isParting(text, at)) at++
    else return null
  }
  if (value.length < length || isGluedBehind(text, at)) return null
  const iban = value.toUpperCase()
  if (!mod97(iban)) return null
  return { from, to: at, value: iban, ...(SPECIMEN_IBANS.has(iban) ? { severity: 'note' as const } : {}) }
}

function isParting(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (code === 32 || code === 45 || code === 0xa0) && isAlnumCode(unitAt(text, at + 1))
}
