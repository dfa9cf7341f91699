// One gate over all views of all pieces. The clock is read between rules; a gate that runs out of time says how many
// of its views it finished, and never passes for one that saw everything.

import { spanOf } from '../text/mapped-text.ts'
import type { Normalised, View, ViewName } from '../text/normalise.ts'
import { lowered, type Match, places } from './detectors/scanner.ts'
import { DETECTORS } from './detectors/table.ts'
import type { Origin, TextGate } from './finding.ts'
import { asksOrExplains, isQuoted, type Quotation, quotationsOf } from './quoted.ts'
import type { Rule, Rules } from './rules.ts'
import { type Words, wordsOf } from './words.ts'

/** The text itself, or a key or string of the context. */
export interface Piece {
  pointer: string | null
  label: string
  normalised: Normalised
}

export interface Hit {
  rule: Rule
  pointer: string | null
  view: ViewName
  path: string[]
  start: number
  end: number
  value: string
  severity: Match['severity'] | null
  quoted: boolean
  explained: boolean
  /** Found in a text that only a decoder, a look-alike table or the session's memory brings to light. */
  hidden: boolean
}

export interface Scan {
  hits: Hit[]
  planned: number
  completed: number
}

export interface Deadline {
  expired(): boolean
}

const VIEWS: Record<TextGate, readonly ViewName[]> = {
  'threat-signature-scan': ['raw', 'folded', 'skeleton', 'decoded', 'rot13', 'session'],
  'pii-egress-guard': ['raw', 'folded', 'decoded'],
}

export function scanGate(
  gate: TextGate,
  pieces: readonly Piece[],
  rules: Rules,
  origin: Origin,
  deadline: Deadline,
): Scan {
  const own = rules.rules.filter((rule) => rule.gate === gate)
  const planned = pieces.flatMap((piece) =>
    piece.normalised.views.filter(({ name }) => VIEWS[gate].includes(name)).map((view) => ({ piece, view })),
  )
  const scan: Scan = { hits: [], planned: planned.length, completed: 0 }
  const seen = new Seen()
  for (const { piece, view } of planned) {
    const viewScan = new ViewScan(piece, view, rules, origin)
    for (const rule of own) {
      if (deadline.expired()) return scan
      for (const hit of viewScan.apply(rule)) if (seen.take(hit, view)) scan.hits.push(hit)
    }
    scan.completed++
  }
  return scan
}

/**
 * A later view shows again what an earlier one has shown; what it shows elsewhere is new, and so is another value at
 * the same place, which an encoded run may hold beside the visible one.
 */
class Seen {
  private readonly spans = new Map<string, { view: View; start: number; end: number }[]>()

  take(hit: Hit, view: View): boolean {
    const key =
      hit.rule.gate === 'pii-egress-guard'
        ? `${hit.rule.id} ${hit.pointer} ${hit.value}`
        : `${hit.rule.id} ${hit.pointer}`
    const known = this.spans.get(key) ?? []
    const sameView = hit.rule.gate === 'pii-egress-guard' ? view : null
    if (known.some((span) => span.view !== sameView && span.start < hit.end && hit.start < span.end)) return false
    if (known.length < MOST_SPANS) this.spans.set(key, [...known, { view, start: hit.start, end: hit.end }])
    return true
  }
}

/** Of one value or one threat rule; beyond it a repetition is reported once more instead of compared. */
const MOST_SPANS = 64

class ViewScan {
  private readonly piece: Piece
  private readonly view: View
  private readonly rules: Rules
  private readonly origin: Origin
  private words: Words | undefined
  private quotations: Quotation[] | undefined

  constructor(piece: Piece, view: View, rules: Rules, origin: Origin) {
    this.piece = piece
    this.view = view
    this.rules = rules
    this.origin = origin
  }

  apply(rule: Rule): Hit[] {
    const text = rule.gate === 'pii-egress-guard' ? this.view.plain : this.view.mapped
    return this.matches(rule, text.text)
      .filter(({ to }) => to > this.view.ownFrom)
      .map((match) => this.hit(rule, match, text))
  }

  private matches(rule: Rule, text: string): Match[] {
    const detector = rule.detector === null ? undefined : DETECTORS[rule.detector]
    if (detector)
      return detector({
        text,
        label: this.piece.label,
        context: rule.context,
        keys: rule.keys,
        allowedHosts: this.rules.allowedHosts,
      })
    return [...this.wordMatches(rule), ...literalMatches(rule, text)]
  }

  private wordMatches(rule: Rule): Match[] {
    if (!rule.words) return []
    this.words ??= wordsOf(this.view, this.rules.lexicon)
    return rule.words.scan(this.words, this.origin).matches
  }

  private hit(rule: Rule, match: Match, mapped: View['mapped']): Hit {
    const { start, end } = spanOf(mapped, match.from, match.to)
    const quotation = rule.mentionable ? this.quotationAround(mapped.text, match) : undefined
    return {
      rule,
      pointer: this.piece.pointer,
      view: this.view.name,
      path: this.view.path,
      start,
      end,
      value: match.value ?? mapped.text.slice(match.from, match.to),
      severity: match.severity ?? null,
      quoted: quotation !== undefined,
      explained: quotation !== undefined && asksOrExplains(mapped.text, quotation),
      hidden: this.isHidden(start, end),
    }
  }

  private quotationAround(text: string, match: Match): Quotation | undefined {
    this.quotations ??= quotationsOf(text)
    return this.quotations.find((quotation) => isQuoted([quotation], match.from, match.to))
  }

  private isHidden(start: number, end: number): boolean {
    const { name } = this.view
    if (name === 'raw') return false
    if (name === 'folded') return this.piece.normalised.invisibleAt.some((at) => at >= start && at < end)
    return true
  }
}

function literalMatches(rule: Rule, text: string): Match[] {
  if (rule.literals.length === 0) return []
  const lower = lowered(text)
  return rule.literals.flatMap((literal) =>
    [...places(lower, literal)].slice(0, 4).map((from) => ({ from, to: from + literal.length })),
  )
}
