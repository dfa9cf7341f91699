/** Whether a verb is asked for or forbidden. Only a negation that reaches its verb through small words counts: what
 *  cannot be read with certainty counts as asked, since an attacker writes the sentence. */
import type { VerbForm } from './inflection.ts'
import type { StepLexicon } from './lexicon.ts'
import type { Token } from './tokens.ts'
import { GRAMMAR } from './word-lists.ts'

const REACH = 12
const SUBJECT_WORDS = 3
const STOPS = ';:.?\n'

interface Verbs {
  tokens: readonly Token[]
  lexicon: StepLexicon
  /** By token; what was found about verbs before this one. */
  forbidden: ReadonlyMap<number, boolean>
}

/** Two negations are none: "do not forget to delete" asks. */
export function isForbidden(verbs: Verbs, at: number, form: VerbForm): boolean {
  const { tokens, lexicon } = verbs
  let flips = deniesObject(tokens, at) ? 1 : 0
  let words = 0
  let bridged = -1
  for (let back = at - 1; back >= 0 && at - back <= REACH; back--) {
    const [token, next] = [tokens[back]!, tokens[back + 1]!]
    if (token.sentence !== tokens[at]!.sentence || STOPS.includes(next.mark || ' ')) break
    if (next.mark === ',' && back !== bridged) {
      const jump = insertionStart(tokens, back)
      if (jump === null) return inherited(verbs, back, at) ?? isOdd(flips)
      bridged = jump
      back = jump + 1
      continue
    }
    if (verbs.forbidden.has(back)) return inherited(verbs, back, at) ?? isOdd(flips)
    if (isIdiom(lexicon, tokens, back)) break
    if (GRAMMAR.negations.has(token.word)) {
      if (negates(tokens, back, form, words)) flips++
      else break
    } else if (isRefusal(tokens, back, form)) flips++
    else if (GRAMMAR.connectors.has(token.word)) {
      const before = coordinated(verbs, back)
      return before ?? isOdd(flips)
    } else if (GRAMMAR.contrast.has(token.word)) break
    else if (!GRAMMAR.fillers.has(token.word) && (GRAMMAR.universal.has(token.word) || ++words > SUBJECT_WORDS)) break
  }
  return isOdd(flips)
}

/** "delete nothing"; of "delete nothing but the logs" the rest is asked for. */
function deniesObject(tokens: readonly Token[], at: number): boolean {
  const [object, after] = [tokens[at + 1], tokens[at + 2]?.word ?? '']
  if (object?.sentence !== tokens[at]!.sentence || (object.word !== 'nothing' && object.word !== 'none')) return false
  return after !== 'but' && after !== 'except' && after !== 'less'
}

const isOdd = (flips: number): boolean => flips % 2 === 1

/** "not, under any circumstances, delete": back to the word before the first comma. */
function insertionStart(tokens: readonly Token[], back: number): number | null {
  for (let at = back; at > 0 && back - at < 6; at--)
    if (tokens[at]!.mark === ',') return GRAMMAR.negations.has(tokens[at - 1]!.word) ? at - 1 : null
  return null
}

/** In a row of verbs without objects the first one's negation holds for all: "do not read, copy or delete". */
function inherited({ tokens, forbidden }: Verbs, back: number, at: number): boolean | null {
  for (let between = back + 1; between < at; between++) if (!GRAMMAR.connectors.has(tokens[between]!.word)) return null
  return forbidden.get(back) ?? null
}

/** "do not read the logs or delete them": `or` carries a negation on, `and` only from verb to verb. */
function coordinated({ tokens, forbidden }: Verbs, connector: number): boolean | null {
  const carries = tokens[connector]!.word === 'or' || tokens[connector]!.word === 'nor'
  for (let back = connector - 1; back >= 0 && connector - back <= REACH; back--) {
    if (tokens[back]!.sentence !== tokens[connector]!.sentence) return null
    const known = forbidden.get(back)
    if (known !== undefined) return carries || back === connector - 1 ? known : null
    if (!carries) return null
  }
  return null
}

/** `nothing` and its like deny what their few words lead up to; `no` only where something is done to it. */
function negates(tokens: readonly Token[], at: number, form: VerbForm, words: number): boolean {
  for (let back = at - 1; back >= 0 && at - back <= 3; back--)
    if (tokens[back]!.sentence === tokens[at]!.sentence && GRAMMAR.conditions.has(tokens[back]!.word)) return false
  if (words === 0) return true
  const subject = tokens[at]!.word
  if (subject === 'no') return form.form === 'past' && words <= 2
  return subject === 'nobody' || subject === 'none' || subject === 'nothing' || subject === 'noone'
}

function isRefusal(tokens: readonly Token[], at: number, form: VerbForm): boolean {
  const { word } = tokens[at]!
  if (GRAMMAR.refusals_to.has(word)) return tokens[at + 1]!.word === 'to'
  if (word === 'than') return tokens[at - 1]?.word === 'rather'
  return GRAMMAR.refusals_ing.has(word) && form.form === 'ing'
}

function isIdiom(lexicon: StepLexicon, tokens: readonly Token[], at: number): boolean {
  for (let from = at; from >= 0 && at - from < 3; from--) {
    const found = lexicon.negationIdioms.at(tokens, from)
    if (found && from + found.size > at) return found.value
  }
  return false
}
