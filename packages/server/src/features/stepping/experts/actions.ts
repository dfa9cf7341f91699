/** What a text asks to be done, verb by verb.
 *
 *  What is seen: English verbs of the lexicon and their forms; imperatives and polite forms ("could you", "I would
 *  be glad if you deleted"); passives ("the logs should be deleted"), causatives ("have it wiped"), nouns before
 *  `of`; negation and double negation; quotations; questions and explanations; universal scope in the object or in
 *  who gets it. In German, French, Spanish, Portuguese, Russian, Chinese and Japanese less is read: orders,
 *  infinitives and what must be done, scope, a thing or none, and a negation right beside the verb. What is not:
 *  further languages, verbs outside the lexicon, irony, a plan spread over several sentences beyond a plain pronoun,
 *  words glued together (`deleteAll`), and what a tool would make of a harmless verb. Where a sentence can be read
 *  both ways it counts as asked. */
import { asksOrExplains } from '../../../domain/gates/mention.ts'
import { type Complements, complementsAfter, subjectBefore } from './clause.ts'
import { foreignComplements, isForeignForbidden, isForeignVerbPlace } from './foreign-clause.ts'
import { type VerbForm, verbForm } from './inflection.ts'
import type { StepLexicon } from './lexicon.ts'
import { isForbidden } from './negation.ts'
import { spokenAbout } from './questions.ts'
import type { Token, TokenText } from './tokens.ts'
import { type ActionClass, CLAUSE, GRAMMAR } from './word-lists.ts'

export interface Action extends Complements {
  kind: ActionClass
  lemma: string
  use: 'asked' | 'forbidden' | 'quoted' | 'about'
  /** Place among the tokens. */
  at: number
  from: number
  to: number
  sentence: number
}

type Tokens = readonly Token[]

/** Beyond this many quotations nobody is explaining anything. */
const MAX_EXPLAINED = 64

export function findActions(read: TokenText, lexicon: StepLexicon): Action[] {
  const { tokens } = read
  const useOf = readUse(read, lexicon)
  const wide = sentencesOfScope(tokens)
  const verbs = { tokens, lexicon, forbidden: new Map<number, boolean>() }
  const found: Action[] = []
  let readingFrom = -1
  for (let at = 0; at < tokens.length; at++) {
    const { word, from, to, sentence } = tokens[at]!
    const phrase = lexicon.verbPhrases.at(tokens, at)
    const form = phrase ? verbForm(word, phrase.value) : formAt(tokens, at, lexicon)
    const last = phrase ? at + phrase.size - 1 : at
    const complements = form && complementsOf(tokens, at, last, form, lexicon, readingFrom === sentence)
    if (!complements) continue
    const forbidden = isForeign(form)
      ? isForeignForbidden(tokens, at, form)
      : isForbidden(verbs, at, form) && !complements.object.excepts
    verbs.forbidden.set(at, forbidden)
    const { object } = complements
    // "Here are all logs. Delete them."
    if (object.pronoun && object.heads.length === 0) object.universal ||= wide.has(sentence) || wide.has(sentence - 1)
    const kind = form.lemma === 'transfer' && !isMoney(complements) ? 'send' : form.kind
    const use = useOf(at, forbidden)
    if (kind === 'read' && use === 'asked') readingFrom = sentence
    found.push({ kind, lemma: form.lemma, use, at, from, to, sentence, ...complements })
  }
  return found
}

/** Whether a verb is asked for, forbidden, quoted or only spoken about. */
function readUse(read: TokenText, lexicon: StepLexicon): (at: number, forbidden: boolean) => Action['use'] {
  const { text, tokens, quotations } = read
  const isSpokenAbout = spokenAbout(read, lexicon)
  const orders = sentencesThatObey(tokens, lexicon)
  const mentions = new Map<number, boolean>()
  /** Quoted words are an order where their sentence says so or says nothing else. */
  const isMention = (at: number): boolean => {
    const { quotation, sentence } = tokens[at]!
    if (quotation < 0 || orders.has(sentence)) return false
    const known = mentions.get(quotation)
    if (known !== undefined) return known
    const isExplained = () => isReported(tokens, at) || asksOrExplains(text, quotations[quotation]!)
    const mention = mentions.size < MAX_EXPLAINED && isExplained()
    mentions.set(quotation, mention)
    return mention
  }
  return (at, forbidden) => {
    if (isMention(at)) return 'quoted'
    if (forbidden) return 'forbidden'
    return isSpokenAbout(at) || TOPIC.has(tokens[at - 1]?.word ?? '') ? 'about' : 'asked'
  }
}

/** `the report says "..."`, `the button "..."`: a word right before the quotation says that it is one. */
function isReported(tokens: Tokens, at: number): boolean {
  let first = at
  while (tokens[first - 1]?.quotation === tokens[at]!.quotation) first--
  const before = tokens[first - 1]
  return before?.sentence === tokens[first]!.sentence && GRAMMAR.reporting.has(before.word)
}

function formAt(tokens: Tokens, at: number, lexicon: StepLexicon): VerbForm | null {
  const { word, kind, sentence } = tokens[at]!
  const form = lexicon.verbs.get(word) ?? separableAt(tokens, at, lexicon)
  if (!form || kind !== 'word' || lexicon.idioms.at(tokens, at)) return null
  if (isForeign(form)) return !form.ambiguous || isForeignVerbPlace(tokens, at) ? form : null
  const [before, after] = [tokens[at - 1], tokens[at + 1]]
  if (form.form === 'noun') return after?.word === 'of' ? form : null
  const leadsOn = form.lemma === 'start' || GRAMMAR.refusals_ing.has(word)
  if (leadsOn && lexicon.verbs.get(after?.word ?? '')?.form === 'ing') return null
  const named = before?.sentence === sentence && GRAMMAR.determiners.has(before.word)
  // `that deletes`, `this removes`: who does it, and no article.
  const isWho = form.form === 's' && (before?.word === 'that' || before?.word === 'this')
  if (named && !isWho && !GRAMMAR.universal.has(after?.word ?? '')) return null
  return !form.ambiguous || isVerbPlace(tokens, at) ? form : null
}

/** "führe das Skript aus": the second part stands at the end of the clause, or somewhere behind. */
function separableAt(tokens: Tokens, at: number, lexicon: StepLexicon): VerbForm | null {
  const candidates = lexicon.verbs.separableAt(tokens[at]!.word)
  if (candidates.length === 0) return null
  for (let on = at + 1; on < tokens.length && on - at <= 24; on++) {
    const { word, sentence } = tokens[on]!
    if (sentence !== tokens[at]!.sentence) return null
    const found = candidates.find(({ particles }) => particles.has(word))
    if (found) return found.form
  }
  return null
}

/** A word that is a noun as well is a verb where a sentence begins, after a modal or a connector; not before `of`. */
function isVerbPlace(tokens: Tokens, at: number): boolean {
  const [token, before, after] = [tokens[at]!, tokens[at - 1], tokens[at + 1]]
  const near = after?.sentence === token.sentence && after.mark === '' ? after.word : ''
  if (near === 'of' || near === 'on' || near === 'for') return false
  if (!before || before.sentence !== token.sentence || token.mark !== '') return true
  return GRAMMAR.modals.has(before.word) || GRAMMAR.connectors.has(before.word) || GRAMMAR.universal.has(near)
}

/** Null where the form tells of something done, or describes a thing: what is listed is described by what will be done to
 *  it, as in "show the orders to be paid". */
function complementsOf(
  tokens: Tokens,
  at: number,
  last: number,
  form: VerbForm,
  lexicon: StepLexicon,
  inListing: boolean,
): Complements | null {
  if (isForeign(form)) return foreignComplements(tokens, at, form, lexicon.verbs)
  const after = complementsAfter(tokens, last, lexicon)
  if (form.form !== 'past') return after
  const auxiliary = auxiliaryOf(tokens, at)
  if (auxiliary !== null) {
    const before = tokens[auxiliary - 1]?.word ?? ''
    const described = tokens[auxiliary]!.word === 'to' || before === 'that' || before === 'which'
    return described && inListing ? null : { ...after, object: subjectBefore(tokens, auxiliary) }
  }
  // "if you deleted"
  if (tokens[at - 1]?.word === 'you' && tokens[at - 2]?.word === 'if') return after
  return isCaused(tokens, at) ? { ...after, object: subjectBefore(tokens, at) } : null
}

/** The first word of `should not be`, `is to be`, `are`; null for what was done and for plain descriptions. */
function auxiliaryOf(tokens: Tokens, at: number): number | null {
  let from = at
  let passive = false
  for (let back = at - 1; back >= 0 && at - back <= 6; back--) {
    const { word, sentence } = tokens[back]!
    if (sentence !== tokens[at]!.sentence || GRAMMAR.was.has(word)) return null
    // "make sure everything is deleted"
    const isEnsured = GRAMMAR.is.has(word) && followsOneOf(tokens, back - 1, back, GRAMMAR.ensuring)
    if (GRAMMAR.being.has(word) || isEnsured) passive = true
    else if (!GRAMMAR.modals.has(word) && !GRAMMAR.is.has(word)) break
    if (!GRAMMAR.connectors.has(word)) from = back
  }
  return passive ? from : null
}

/** "I want all logs deleted": a participle behind its object, and not before a noun. */
function isCaused(tokens: Tokens, at: number): boolean {
  const after = tokens[at + 1]
  const open = !after || after.sentence !== tokens[at]!.sentence || after.mark !== '' || isClosing(after.word)
  return open && followsOneOf(tokens, at - 2, at, GRAMMAR.causing)
}

/** Whether one of the words stands before the place, a few words back at most and in the same sentence. */
function followsOneOf(tokens: Tokens, from: number, at: number, words: ReadonlySet<string>): boolean {
  for (let back = from; back >= 0 && at - back <= 12; back--) {
    if (tokens[back]!.sentence !== tokens[at]!.sentence) return false
    if (words.has(tokens[back]!.word)) return true
  }
  return false
}

const isForeign = ({ languages }: VerbForm): boolean => languages[0] !== 'en'

const isClosing = (word: string): boolean =>
  GRAMMAR.prepositions.has(word) ||
  GRAMMAR.towards.has(word) ||
  GRAMMAR.connectors.has(word) ||
  CLAUSE.afterthoughts.has(word)

/** "a poem about deleting" */
const TOPIC = new Set(['about', 'regarding', 'concerning'])

const isMoney = ({ object }: Complements): boolean =>
  object.heads.some((head) => CLAUSE.money.has(head) || /^[0-9]/.test(head))

/** Sentences in which something outside a quotation tells to do what is quoted, or nothing is outside. */
function sentencesThatObey(tokens: readonly Token[], lexicon: StepLexicon): Set<number> {
  const outside = new Set<number>()
  const obeying = new Set<number>()
  for (const { word, sentence, quotation } of tokens) {
    if (quotation >= 0) continue
    outside.add(sentence)
    const form = lexicon.verbs.get(word)
    if (GRAMMAR.obeying.has(word) || (form?.kind === 'execute' && form.form === 'base')) obeying.add(sentence)
  }
  for (const { sentence } of tokens) if (!outside.has(sentence)) obeying.add(sentence)
  return obeying
}

const sentencesOfScope = (tokens: readonly Token[]): Set<number> =>
  new Set(tokens.filter(({ word }) => GRAMMAR.universal.has(word)).map(({ sentence }) => sentence))
