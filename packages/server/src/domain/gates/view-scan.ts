/** The rules of a gate on one view: words and quotations are worked out once and only where a rule asks for them. */
import { unitAt } from '../text/code-points.ts'
import { firstPlace, rawSlice, type Span, spanOf } from '../text/mapped-text.ts'
import type { View } from '../text/normalise.ts'
import { isInProse, talksAbout } from './command-mention.ts'
import type { Command } from './detectors/command-line.ts'
import { type SpelledWords, spelledWords } from './detectors/context-words.ts'
import { digitSeries, type Group } from './detectors/digits.ts'
import { type DetectorInput, isAlnumCode, lowered, type Match, places } from './detectors/scanner.ts'
import { isOfScript, SCRIPT_REACH } from './detectors/sql.ts'
import { DETECTORS, knownCommands, MARKUP, SQL } from './detectors/table.ts'
import { identifiersOf } from './identifiers/identifiers.ts'
import { asksOrExplains, wordsOf as wordsIn } from './mention.ts'
import { type Quotation, quotationAround, quotationsOf } from './quoted.ts'
import { type Reported, reportedAt } from './reported.ts'
import type { Rule, Rules } from './rules.ts'
import type { Hit, Piece, SeenSpans } from './scan.ts'
import type { WordScan } from './word-pattern.ts'
import { wordsOf } from './words.ts'

interface Placed {
  match: Match
  span: Span
}

/** Of one threat rule in one view and one use of it: more of the same adds nothing to a decision. */
const MAX_ALIKE = 4
/** Beyond this many attacks nobody is explaining anything. */
const MAX_EXPLAINED = 64

const NO_HITS: Hit[] = []
const NO_MATCHES: readonly Match[] = []

export class ViewScan {
  private readonly piece: Piece
  private readonly view: View
  private readonly rules: Rules
  private readonly seen: SeenSpans
  private worded: WordScan['matches'] | undefined
  private numbers: Group[][] | undefined
  private identified: Map<number, readonly Match[]> | undefined
  private commandLines: Command[] | undefined
  private quotations: Quotation[] | undefined
  private lowerText: string | undefined
  private spelledText: SpelledWords | undefined
  private input: DetectorInput | undefined
  /** Of the rule that is asked. */
  private identifier: Rule['identifier'] = null

  /** For the rules of one gate: they read one text of the view. */
  constructor(piece: Piece, view: View, rules: Rules, seen: SeenSpans) {
    this.piece = piece
    this.view = view
    this.rules = rules
    this.seen = seen
  }

  apply(rule: Rule): Hit[] {
    const mapped = rule.gate === 'pii-egress-guard' ? this.view.values : this.view.mapped
    const matches = this.matches(rule, mapped.text)
    if (matches.length === 0) return NO_HITS
    const { ownFrom, isSeam } = this.view
    const placed = matches
      .filter(({ from, to }) => to > ownFrom && (!isSeam || from < ownFrom))
      .map((match) => ({ match, span: spanOf(mapped, match.from, match.to) }))
    return rule.gate === 'pii-egress-guard' ? this.values(rule, placed) : this.threats(rule, placed)
  }

  /** Another value at the same place is new: an encoded run may hold it beside the visible one. */
  private values(rule: Rule, placed: Placed[]): Hit[] {
    const fresh: Placed[] = []
    const byKey = new Map<string, Placed[]>()
    for (const place of this.withoutRejoined(rule, placed)) {
      const key = `${rule.id} ${this.piece.pointer} ${place.match.value}`
      if (this.seen.covers(key, place.span)) continue
      fresh.push(place)
      const alike = byKey.get(key)
      if (alike) alike.push(place)
      else byKey.set(key, [place])
    }
    for (const [key, alike] of byKey) this.report(key, alike)
    return fresh.map((place) => this.hit(rule, place, undefined, false))
  }

  /**
   * A telephone number ends where its line does, and nothing checks its length: drawn together with the next line it
   * would be a second number, and three of those a list.
   */
  private withoutRejoined(rule: Rule, placed: Placed[]): Placed[] {
    if (rule.detector !== 'telephone') return placed
    const key = `${rule.id} ${this.piece.pointer}`
    if (this.view.name === 'raw') this.report(key, placed)
    return this.view.name === 'folded' ? placed.filter(({ span }) => !this.seen.covers(key, span)) : placed
  }

  /** Every use is weighed before any is left out: a real one must not hide behind a row of mentions. */
  private threats(rule: Rule, placed: Placed[]): Hit[] {
    const own =
      rule.detector === null
        ? placed
        : placed.filter((place) => this.isOfThisView(place) && !this.isOfScript(rule, place))
    const read = rule.detector === MARKUP ? own.map((place) => this.escaped(place)) : own
    const disguised = this.view.name === 'canonical' ? read.map((place, at) => this.inflected(place, at)) : read
    const named = rule.words === null ? disguised : disguised.map((place) => this.named(place))
    const fresh = this.freshOf(`${rule.id} ${this.piece.pointer}`, named)
    const counts = { used: 0, quoted: 0, explained: 0 }
    let asked = 0
    return fresh.flatMap((place) => {
      const weighed = asked++ < MAX_EXPLAINED
      const quotation = this.mentionAt(rule, place.match, weighed)
      const explained = weighed && quotation !== undefined && this.isExplained(rule, quotation)
      const use = quotation === undefined ? 'used' : explained ? 'explained' : 'quoted'
      return counts[use]++ < MAX_ALIKE ? [this.hit(rule, place, quotation, explained)] : []
    })
  }

  /** A word that differs in its ending alone from that of a rule may be mistyped, or another form of it that orders nothing:
   *  "he ignored", "ignorierte". */
  private inflected(place: Placed, at: number): Placed {
    const { match, span } = place
    const { path, mapped } = this.view
    if (match.severity !== undefined || path.length > 0 || at >= MAX_EXPLAINED) return place
    const isForm = differsInEndings(rawSlice(this.piece.normalised.raw, span), mapped.text.slice(match.from, match.to))
    return isForm ? { match: { ...match, severity: 'hold', isForm }, span } : place
  }

  /** One name of a program, as `clearPreviousInput` or `--drop-previous-conditions`, is held and never denied, and is no
   *  hidden carrier: so names are written. Words that are glued or joined to hide them wait for a person as well. */
  private named(place: Placed): Placed {
    const { match, span } = place
    if (match.severity !== undefined || span.end - span.start > MAX_NAME) return place
    const isName = NAME.test(rawSlice(this.piece.normalised.raw, span))
    return isName ? { match: { ...match, severity: 'hold', isForm: true }, span } : place
  }

  /** A tag that begins with an entity is shown and not rendered: so every page about HTML writes it. A scheme in an attribute is
   *  read with its entities undone. */
  private escaped(place: Placed): Placed {
    const { path, mapped } = this.view
    const { from } = place.match
    const { start, end } = spanOf(mapped, from, from + 1)
    const isEntity = path.at(-1) === 'html' && mapped.text[from] === '<' && end - start > 1
    return isEntity ? { ...place, match: { ...place.match, severity: 'note' } } : place
  }

  /** Detectors read marks and what stands around them. Where a look-alike table or ROT13 has nothing to change, the
   *  visible text was read already, with its own words around it. */
  private isOfThisView({ match, span }: Placed): boolean {
    const { name, path, skeleton, mapped } = this.view
    if (path.length > 0 || (!skeleton && name !== 'rot13')) return true
    const own = rawSlice(this.piece.normalised.raw, span)
    return skeleton ? /[\u0080-\uffff]/.test(own) : own.toLowerCase() !== mapped.text.slice(match.from, match.to)
  }

  /** A change of rows that begins a line is one of a script and was judged so in the raw text. With its lines drawn together it
   *  stands behind the semicolon of another one, as what breaks out of a statement does. */
  private isOfScript({ detector }: Rule, { match, span }: Placed): boolean {
    const { name, path, mapped } = this.view
    if (detector !== SQL || name === 'raw' || path.length > 0) return false
    if (!/^(?:update|delete)/i.test(mapped.text.slice(match.from, match.to))) return false
    const before = { start: Math.max(0, span.start - SCRIPT_REACH), end: span.start }
    return isOfScript(rawSlice(this.piece.normalised.raw, before))
  }

  /** A place that was found lighter before is new where it is grave; one found grave before is old. */
  private freshOf(key: string, placed: readonly Placed[]): Placed[] {
    const [light, grave] = [placed.filter(isLight), placed.filter((place) => !isLight(place))]
    const fresh = apart(grave).filter(({ span }) => !this.seen.covers(key, span))
    this.report(key, fresh)
    const doubtful = apart(light).filter(
      ({ span }) => !this.seen.covers(key, span) && !this.seen.covers(`${key} light`, span),
    )
    this.report(`${key} light`, doubtful)
    return [...fresh, ...doubtful]
  }

  private report(key: string, placed: readonly Placed[]): void {
    if (placed.length > 0)
      this.seen.add(
        key,
        placed.map(({ span }) => span),
      )
  }

  private matches(rule: Rule, text: string): readonly Match[] {
    if (rule.detector !== null) {
      const detector = DETECTORS[rule.detector]
      if (detector) return detector(this.inputOf(rule, text))
    }
    const words = this.wordMatches(rule)
    return rule.literals.length === 0 ? words : withLiterals(words, rule.literals, this.lower(text))
  }

  /** One for all rules, since most of them find nothing: what a rule brings is put in before it is asked. */
  private inputOf(rule: Rule, text: string): DetectorInput {
    this.input ??= this.newInput(rule, text)
    this.input.context = rule.context
    this.input.keys = rule.keys
    this.identifier = rule.identifier
    return this.input
  }

  private newInput({ context, keys }: Rule, text: string): DetectorInput {
    const { series, identifiers, commands } = this
    const { allowedHosts, scorer } = this.rules
    const { label, origin } = this.piece
    const lower = () => this.lower(text)
    const spelled = () => {
      this.spelledText ??= spelledWords(text)
      return this.spelledText
    }
    return { text, lower, series, spelled, identifiers, commands, context, keys, label, allowedHosts, origin, scorer }
  }

  /** Of the text the threat rules read: values are never looked for in another case. */
  private lower(text: string): string {
    this.lowerText ??= lowered(text)
    return this.lowerText
  }

  private readonly identifiers = (): readonly Match[] => {
    this.identified ??= this.rules.identifiers.find(this.view.values.text, this.piece.label)
    return identifiersOf(this.identified, this.identifier)
  }

  private readonly series = (): Group[][] => {
    this.numbers ??= digitSeries(this.view.values.text)
    return this.numbers
  }

  get commandCount(): number {
    return this.commandLines?.length ?? 0
  }

  private readonly commands = (): Command[] => {
    this.commandLines ??= knownCommands(this.lower(this.view.mapped.text))
    return this.commandLines
  }

  private wordMatches(rule: Rule): readonly Match[] {
    if (rule.words === null) return NO_MATCHES
    const { patterns, lexicon } = this.rules
    this.worded ??= patterns.scan(wordsOf(this.view, lexicon), this.piece.origin).matches
    return this.worded[rule.words] ?? NO_MATCHES
  }

  /** What is quoted; and a command in the middle of a sentence, or an order that somebody is said to give, which are
   *  mentioned without quotation marks too. */
  private mentionAt(rule: Rule, match: Match, weighed: boolean): Quotation | Reported | undefined {
    if (!rule.mentionable && !rule.noted_in_code) return undefined
    const quotation = this.quotationAt(match)
    if (!weighed || !rule.mentionable) return quotation
    const { text } = this.view.mapped
    if (isOfCommands(rule)) return quotation ?? (isInProse(text, match) ? { ...match, code: false } : undefined)
    const reported = reportedAt(text, match)
    // Where somebody is told to refuse it, the quotation around all of that says no less: a system prompt that is shown.
    return reported?.explained ? reported : (quotation ?? reported)
  }

  private isExplained(rule: Rule, mention: Quotation | Reported): boolean {
    if ('explained' in mention) return mention.explained
    const { text } = this.view.mapped
    return isOfCommands(rule) ? talksAbout(text, mention) : asksOrExplains(text, mention)
  }

  private quotationAt({ from, to }: Match): Quotation | undefined {
    this.quotations ??= quotationsOf(this.view.mapped.text)
    return quotationAround(this.quotations, from, to)
  }

  private hit(rule: Rule, { match, span }: Placed, quotation: Quotation | undefined, explained: boolean): Hit {
    return {
      rule,
      pointer: this.piece.pointer,
      origin: this.piece.origin,
      view: this.view.name,
      path: this.view.path,
      start: span.start,
      end: span.end,
      value: match.value ?? this.view.mapped.text.slice(match.from, match.to),
      severity: match.severity ?? null,
      effect: match.effect ?? null,
      quoted: quotation !== undefined,
      code: quotation?.code ?? false,
      explained,
      hidden: match.isForm !== true && this.isHidden(span),
      explanation: match.explanation ?? null,
    }
  }

  private isHidden(span: Span): boolean {
    const { name } = this.view
    if (name === 'raw') return false
    return name !== 'folded' || holdsAny(this.piece.normalised.invisibleAt, span)
  }
}

const MAX_NAME = 64
const NAME = /^[a-z]{1,24}(?:[A-Z][a-z]{1,24}){1,8}$|^[a-z]{1,24}(?:[_-][a-z]{1,24}){1,8}$/

const MIN_STEM = 4
const MAX_ENDING = 2

/** Nobody writes a digit into a word by habit. */
const LEET = /\p{L}[0-9@$|]|[0-9@$|]\p{L}/u

/** Whether the words of two texts are the same but for the endings of some. */
function differsInEndings(written: string, read: string): boolean {
  if (LEET.test(written)) return false
  const [forms = [], words = []] = [written, read].map((text) => wordsIn(text.normalize('NFD').replace(/\p{M}/gu, '')))
  const isForm = (form: string, at: number): boolean => {
    const word = words[at] as string
    let stem = 0
    while (stem < form.length && form[stem] === word[stem]) stem++
    if (form === word) return true
    // Letters that changed places are a mistake, wherever they stand.
    const isSwapped = form.slice(stem) === [...word.slice(stem)].reverse().join('')
    return !isSwapped && stem >= MIN_STEM && Math.max(form.length, word.length) - stem <= MAX_ENDING
  }
  return forms.length === words.length && forms.join() !== words.join() && forms.every(isForm)
}

/** A rule with words of its own is about words; a detector whose finds may be mentioned is about commands. */
const isOfCommands = ({ detector, mentionable }: Rule): boolean => mentionable && detector !== null

const isLight = ({ match }: Placed): boolean => match.severity !== undefined

/** Alternatives of one rule often match the same words; one place is one finding. */
function apart(placed: readonly Placed[]): Placed[] {
  let end = -1
  return [...placed]
    .sort((a, b) => a.match.from - b.match.from)
    .filter(({ match }) => {
      const isNew = match.from >= end
      if (isNew) end = match.to
      return isNew
    })
}

/** Whether one of the ascending offsets lies in the span. */
function holdsAny(offsets: readonly number[], { start, end }: Span): boolean {
  const first = offsets[firstPlace(offsets.length, (at) => offsets[at]! >= start)]
  return first !== undefined && first < end
}

/** `rows[system]` and `List<System>` are an index and a type: a label stands behind no letter. `10:00:01 [system]` and
 *  `INFO [system]` tell which part of a program wrote the line of a log. */
const LABEL = /^[[<][a-z]{1,32}[\]>]$/
const LOGGED = /(?:[0-9z\]|]|\b(?:info|debug|trace|warn|error|fatal)):?[ \t]{1,4}$/
const LOGGED_REACH = 12
const isLabel = (lower: string, from: number, literal: string): boolean => {
  if (!LABEL.test(literal)) return true
  if (isAlnumCode(unitAt(lower, from - 1))) return false
  return !literal.startsWith('[') || !LOGGED.test(lower.slice(Math.max(0, from - LOGGED_REACH), from))
}

function withLiterals(words: readonly Match[], literals: readonly string[], lower: string): readonly Match[] {
  let found: Match[] | null = null
  for (const literal of literals)
    for (const from of places(lower, literal)) {
      if (!isLabel(lower, from, literal)) continue
      found ??= [...words]
      found.push({ from, to: from + literal.length })
    }
  return found ?? words
}
