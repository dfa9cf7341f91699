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
import { isForbidden, type Verbs } from './negation.ts'
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

/** Beyond this many quotations nobody is explaining anything. */
const MAX_EXPLAINED = 64

export function findActions(read: TokenText, lexicon: StepLexicon): Action[] {
  return new Reader(read, lexicon).run()
}

class Reader {
  private readonly read: TokenText
  private readonly tokens: readonly Token[]
  private readonly lexicon: StepLexicon
  private readonly forbidden = new Map<number, boolean>()
  private readonly verbs: Verbs
  private readonly about: (at: number) => boolean
  private readonly mentions = new Map<number, boolean>()
  private readonly orders: ReadonlySet<number>
  private readonly wide: ReadonlySet<number>

  constructor(read: TokenText, lexicon: StepLexicon) {
    this.read = read
    this.tokens = read.tokens
    this.lexicon = lexicon
    this.verbs = { tokens: read.tokens, lexicon, forbidden: this.forbidden }
    this.about = spokenAbout(read, lexicon)
    this.orders = sentencesThatObey(read.tokens, lexicon)
    this.wide = sentencesOfScope(read.tokens)
  }

  run(): Action[] {
    const found: Action[] = []
    let readingFrom = -1
    for (let at = 0; at < this.tokens.length; at++) {
      const phrase = this.lexicon.verbPhrases.at(this.tokens, at)
      const form = phrase ? verbForm(this.tokens[at]!.word, phrase.value) : this.formAt(at)
      if (!form) continue
      const complements = this.complements(at, phrase ? at + phrase.size - 1 : at, form, readingFrom)
      if (!complements) continue
      const action = this.action(at, form, complements)
      if (action.kind === 'read' && action.use === 'asked') readingFrom = action.sentence
      found.push(action)
    }
    return found
  }

  private action(at: number, form: VerbForm, complements: Complements): Action {
    const forbidden = isForeign(form)
      ? isForeignForbidden(this.tokens, at, form)
      : isForbidden(this.verbs, at, form) && !complements.object.excepts
    this.forbidden.set(at, forbidden)
    const { from, to, sentence } = this.tokens[at]!
    const { object } = complements
    if (object.pronoun && object.heads.length === 0) object.universal ||= this.isWideBefore(sentence)
    const kind = form.lemma === 'transfer' && !isMoney(complements) ? 'send' : form.kind
    return { kind, lemma: form.lemma, use: this.useOf(at, forbidden), at, from, to, sentence, ...complements }
  }

  private useOf(at: number, forbidden: boolean): Action['use'] {
    if (this.isMention(at)) return 'quoted'
    if (forbidden) return 'forbidden'
    return this.about(at) || TOPIC.has(this.tokens[at - 1]?.word ?? '') ? 'about' : 'asked'
  }

  /** Quoted words are an order where their sentence says so or says nothing else. */
  private isMention(at: number): boolean {
    const { quotation, sentence } = this.tokens[at]!
    if (quotation < 0 || this.orders.has(sentence)) return false
    const known = this.mentions.get(quotation)
    if (known !== undefined) return known
    const mention = this.mentions.size < MAX_EXPLAINED && (this.isReported(at) || this.isSpokenOf(quotation))
    this.mentions.set(quotation, mention)
    return mention
  }

  /** `the report says "..."`, `the button "..."`: a word right before the quotation says that it is one. */
  private isReported(at: number): boolean {
    let first = at
    while (this.tokens[first - 1]?.quotation === this.tokens[at]!.quotation) first--
    const before = this.tokens[first - 1]
    return before?.sentence === this.tokens[first]!.sentence && GRAMMAR.reporting.has(before.word)
  }

  private isSpokenOf(quotation: number): boolean {
    return asksOrExplains(this.read.text, this.read.quotations[quotation]!)
  }

  /** "Here are all logs. Delete them." */
  private isWideBefore(sentence: number): boolean {
    return this.wide.has(sentence) || this.wide.has(sentence - 1)
  }

  private formAt(at: number): VerbForm | null {
    const form = this.lexicon.verbs.get(this.tokens[at]!.word) ?? this.separableAt(at)
    if (!form || this.tokens[at]!.kind !== 'word' || this.lexicon.idioms.at(this.tokens, at)) return null
    if (isForeign(form)) return !form.ambiguous || isForeignVerbPlace(this.tokens, at) ? form : null
    const [before, after] = [this.tokens[at - 1], this.tokens[at + 1]]
    if (form.form === 'noun') return after?.word === 'of' ? form : null
    const leadsOn = form.lemma === 'start' || GRAMMAR.refusals_ing.has(this.tokens[at]!.word)
    if (leadsOn && this.formOf(at + 1) === 'ing') return null
    const named =
      before !== undefined && before.sentence === this.tokens[at]!.sentence && GRAMMAR.determiners.has(before.word)
    if (named && !this.isDemonstrative(at - 1) && !GRAMMAR.universal.has(after?.word ?? '')) return null
    return !form.ambiguous || this.isVerbPlace(at) ? form : null
  }

  /** "führe das Skript aus": the second part stands at the end of the clause, or somewhere behind. */
  private separableAt(at: number): VerbForm | null {
    const candidates = this.lexicon.verbs.separableAt(this.tokens[at]!.word)
    if (candidates.length === 0) return null
    for (let on = at + 1; on < this.tokens.length && on - at <= 24; on++) {
      const { word, sentence } = this.tokens[on]!
      if (sentence !== this.tokens[at]!.sentence) return null
      const found = candidates.find(({ particles }) => particles.has(word))
      if (found) return found.form
    }
    return null
  }

  private formOf(at: number): VerbForm['form'] | null {
    return this.lexicon.verbs.get(this.tokens[at]?.word ?? '')?.form ?? null
  }

  /** `that deletes`, `this removes`: who does it, and no article. */
  private isDemonstrative(at: number): boolean {
    return this.formOf(at + 1) === 's' && (this.tokens[at]!.word === 'that' || this.tokens[at]!.word === 'this')
  }

  /** A word that is a noun as well is a verb where a sentence begins, after a modal or a connector; not before `of`. */
  private isVerbPlace(at: number): boolean {
    const [token, before, after] = [this.tokens[at]!, this.tokens[at - 1], this.tokens[at + 1]]
    const near = after?.sentence === token.sentence && after.mark === '' ? after.word : ''
    if (near === 'of' || near === 'on' || near === 'for') return false
    if (!before || before.sentence !== token.sentence || token.mark !== '') return true
    return GRAMMAR.modals.has(before.word) || GRAMMAR.connectors.has(before.word) || GRAMMAR.universal.has(near)
  }

  /** Null where the form tells of something done, or describes a thing. */
  private complements(at: number, last: number, form: VerbForm, readingFrom: number): Complements | null {
    if (isForeign(form)) return foreignComplements(this.tokens, at, form, this.lexicon.verbs)
    if (form.form !== 'past') return complementsAfter(this.tokens, last, this.lexicon)
    const auxiliary = this.auxiliaryOf(at)
    if (auxiliary !== null) return this.passive(at, auxiliary, readingFrom)
    if (this.isConditional(at)) return this.after(at)
    if (!this.isCaused(at)) return null
    return { ...this.after(at), object: subjectBefore(this.tokens, at) }
  }

  private after(at: number): Complements {
    return complementsAfter(this.tokens, at, this.lexicon)
  }

  /** What is listed is described by what will be done to it: "show the orders to be paid". */
  private passive(at: number, auxiliary: number, readingFrom: number): Complements | null {
    const before = this.tokens[auxiliary - 1]?.word ?? ''
    const described = this.tokens[auxiliary]!.word === 'to' || before === 'that' || before === 'which'
    if (described && readingFrom === this.tokens[at]!.sentence) return null
    return { object: subjectBefore(this.tokens, auxiliary), recipient: this.after(at).recipient }
  }

  /** The first word of `should not be`, `is to be`, `are`; null for what was done and for plain descriptions. */
  private auxiliaryOf(at: number): number | null {
    let from = at
    let passive = false
    for (let back = at - 1; back >= 0 && at - back <= 6; back--) {
      const { word, sentence } = this.tokens[back]!
      if (sentence !== this.tokens[at]!.sentence || GRAMMAR.was.has(word)) return null
      if (GRAMMAR.being.has(word) || (GRAMMAR.is.has(word) && this.isEnsured(back))) passive = true
      else if (!GRAMMAR.modals.has(word) && !GRAMMAR.is.has(word)) break
      if (!GRAMMAR.connectors.has(word)) from = back
    }
    return passive ? from : null
  }

  /** "make sure everything is deleted" */
  private isEnsured(at: number): boolean {
    for (let back = at - 1; back >= 0 && at - back <= 12; back--) {
      if (this.tokens[back]!.sentence !== this.tokens[at]!.sentence) return false
      if (GRAMMAR.ensuring.has(this.tokens[back]!.word)) return true
    }
    return false
  }

  /** "if you deleted" */
  private isConditional(at: number): boolean {
    return this.tokens[at - 1]?.word === 'you' && this.tokens[at - 2]?.word === 'if'
  }

  /** "I want all logs deleted": a participle behind its object, and not before a noun. */
  private isCaused(at: number): boolean {
    const after = this.tokens[at + 1]
    const open = !after || after.sentence !== this.tokens[at]!.sentence || after.mark !== '' || isClosing(after.word)
    if (!open) return false
    for (let back = at - 2; back >= 0 && at - back <= 12; back--) {
      if (this.tokens[back]!.sentence !== this.tokens[at]!.sentence) return false
      if (GRAMMAR.causing.has(this.tokens[back]!.word)) return true
    }
    return false
  }
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
