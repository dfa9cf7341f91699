/** One gate over all views of all pieces. The clock is read between views, in long ones between rules too; a gate that
 *  runs out of time says how many of its views it finished, and never passes for one that saw everything. */
import type { ScoreExplanation } from '../decision/wire.ts'
import { firstPlace, type MappedText, type Span } from '../text/mapped-text.ts'
import type { Normalised, View, ViewName } from '../text/normalise.ts'
import { looksTurned } from '../text/rot13.ts'
import { lowered, type Match } from './detectors/scanner.ts'
import { ADDRESSED, CASED, LEARNED, LINED, OF_COMMANDS } from './detectors/table.ts'
import type { Origin, TextGate } from './finding.ts'
import type { Rule, Rules } from './rules.ts'
import { modelFor, type Scorer } from './scorer/scorer.ts'
import { ViewScan } from './view-scan.ts'

/** The text itself, or a key or string of the context. */
export interface Piece {
  pointer: string | null
  label: string
  origin: Origin
  normalised: Normalised
  /** Of a text that was put together from others, which are read by themselves: code points at which they meet. It is read for
   *  phrases and commands across these alone. */
  joints?: readonly number[]
}

export interface Hit {
  rule: Rule
  pointer: string | null
  /** Of the text it was found in. */
  origin: Origin
  view: ViewName
  path: string[]
  start: number
  end: number
  value: string
  severity: Match['severity'] | null
  /** What a command would do; null for what is no command. */
  effect: NonNullable<Match['effect']> | null
  quoted: boolean
  /** In a code span or a fenced block. */
  code: boolean
  explained: boolean
  /** Found in a text that only a decoder, a look-alike table or the session's memory brings to light. */
  hidden: boolean
  explanation: ScoreExplanation | null
}

export interface Scan {
  hits: Hit[]
  planned: number
  completed: number
}

interface Deadline {
  expired(): boolean
}

/** All rules together are through a shorter view before a look at the clock would pay. */
const SHORT_VIEW = 512

const VIEWS: Record<TextGate, readonly ViewName[]> = {
  'threat-signature-scan': ['raw', 'folded', 'skeleton', 'canonical', 'decoded', 'rot13', 'session'],
  'pii-egress-guard': ['raw', 'folded', 'decoded'],
}

/** The scorer was trained on folded text. The canonical view brings look-alikes back to it; the letters of a skeleton are
 *  none that anybody writes. A folded text that is the raw one with its blanks drawn together scores as that did. */
function isScored(view: View, { normalised: { raw }, origin }: Piece, scorer: Scorer | null): boolean {
  const { name, skeleton, disguised, mapped } = view
  if (name === 'folded') return !isNearlyRaw(view, raw, origin, scorer)
  if (name === 'rot13') return looksTurned(mapped.text)
  return !skeleton && name !== 'session' && disguised
}

/** White space wider than two would move words between the windows of a score, and a text to the model for another length. */
const WIDE = /\s{3}/

const isNearlyRaw = ({ mapped, plain }: View, { text }: MappedText, origin: Origin, scorer: Scorer | null): boolean =>
  scorer !== null &&
  plain.text === text &&
  mapped.text.length <= text.length &&
  modelFor(mapped.text, origin, scorer) === modelFor(text, origin, scorer) &&
  !WIDE.test(text)

/** With other letters an address is another address: a host that is allowed would be a stranger in a skeleton. */
function isReadIn({ detector, words }: Rule, { name, skeleton, wordsAlone }: View): boolean {
  if (wordsAlone) return words !== null || detector === LEARNED || detector === ADDRESSED
  return detector !== CASED || (!skeleton && name !== 'rot13')
}

/** Which rules are read in a view for other reasons than what it says: all, those about words alone, or the one that reads
 *  the text in the case it came in. */
type Share = 'all' | 'words' | 'cased'

/** The rules of a gate for a kind of view and an origin, told apart once for each set. */
const parted = new WeakMap<readonly Rule[], Map<string, readonly Rule[]>>()

function rulesOf(rules: readonly Rule[], gate: TextGate, view: View, origin: Origin, share: Share): readonly Rule[] {
  const known = parted.get(rules) ?? new Map<string, readonly Rule[]>()
  parted.set(rules, known)
  const key = `${gate} ${view.name} ${view.skeleton} ${view.wordsAlone} ${origin} ${share}`
  const cached = known.get(key)
  if (cached !== undefined) return cached
  const isOfShare = ({ detector }: Rule): boolean =>
    share === 'all' || (share === 'words' ? detector === null : detector === CASED)
  const own = rules.filter(
    (rule) => rule.gate === gate && isOfShare(rule) && isReadIn(rule, view) && rule.origins?.includes(origin) !== false,
  )
  known.set(key, own)
  return own
}

/** A folded text that differs from the raw one in case alone, unit for unit, holds what the raw one was found to hold:
 *  words and all detectors but one are read in lower case, and values before any folding. */
function repeatsRaw(gate: TextGate, { raw }: Normalised, folded: View): boolean {
  if (gate === 'pii-egress-guard') return folded.values.text === raw.text && isSamePlaced(folded.values, raw)
  return folded.mapped.text === lowered(raw.text) && isSamePlaced(folded.mapped, raw)
}

/** Texts of one length, unit for unit from the same code points. */
function isSamePlaced(one: MappedText, other: MappedText): boolean {
  if (one.startOffsets === other.startOffsets) return true
  for (let at = 0; at < one.text.length; at++)
    if (one.startOffsets[at] !== other.startOffsets[at] || one.endOffsets[at] !== other.endOffsets[at]) return false
  return true
}

/** Nothing is turned in a text without letters of ASCII, and it was read already. */
const repeatsFolded = (view: View, { folded }: Normalised): boolean =>
  view.name === 'rot13' && view.mapped.text === folded

const BEYOND_ASCII = /[\u0080-\uffff]/

/** A look-alike table has nothing to bring to light for detectors in a text of ASCII alone: they have read it already. */
const isUndisguised = ({ normalised }: Piece, { name }: View): boolean =>
  name === 'skeleton' && !BEYOND_ASCII.test(normalised.raw.text)

/** More than a note however it is judged: the learned score, which speaks where the rules are silent, is not asked then. */
const isCertain = ({ rule, severity, quoted, code }: Hit): boolean =>
  rule.detector !== LEARNED &&
  severity !== 'note' &&
  !quoted &&
  !code &&
  Object.values(rule.severity).every((own) => own !== 'note')

/** A question about an attack holds its words, and a score knows no quotation marks. A text that is longer than such a
 *  question says more than it explains. */
const MIN_UNEXPLAINED = 300

/** What a score finds in so much text is heard, whatever is explained beside it. */
export const isHeard = ({ start, end }: Hit): boolean => end - start >= MIN_UNEXPLAINED

/** A decoded text is read with look-alikes and disguises undone as well, which changes its words and none of its values. */
function viewsOf(gate: TextGate, { views }: Normalised): View[] {
  const own = views.filter(({ name }) => VIEWS[gate].includes(name))
  if (gate !== 'pii-egress-guard') return own
  return own.filter(({ values }, at) => at === 0 || own[at - 1]!.values !== values)
}

const isAcross = ({ start, end }: Hit, joints: Piece['joints']): boolean =>
  joints === undefined || joints.some((at) => start < at && at < end)

/** Of all views together. With so many, commands of the views behind are left unread, which is a review. A script of 32 KiB has
 *  some hundred, and is read twice, as it stands and with its white space drawn together. */
const MAX_COMMANDS = 768

export function scanGate(gate: TextGate, pieces: readonly Piece[], rules: Rules, deadline: Deadline): Scan {
  const planned = pieces.flatMap((piece) => viewsOf(gate, piece.normalised).map((view) => ({ piece, view })))
  const scan: Scan = { hits: [], planned: planned.length, completed: 0 }
  const seen = new SeenSpans()
  let certain = false
  /** A text that was found alike in one view and is held for it: its likeness in another adds nothing. */
  const alike = new Set<Piece>()
  let commands = 0
  for (const { piece, view } of planned) {
    const plain = isUndisguised(piece, view)
    const isSpent = commands >= MAX_COMMANDS
    let unread = false
    const viewScan = new ViewScan(piece, view, rules, seen)
    const repeats =
      view.name === 'folded' ? repeatsRaw(gate, piece.normalised, view) : repeatsFolded(view, piece.normalised)
    const long = view.mapped.text.length > SHORT_VIEW
    const share = repeats ? 'cased' : plain ? 'words' : 'all'
    for (const rule of rulesOf(rules.rules, gate, view, piece.origin, share)) {
      if (piece.joints !== undefined && !rule.mentionable) continue
      if (rule.detector === LINED && view.name !== 'raw' && piece.normalised.raw.text.includes('\n')) continue
      if (rule.detector === LEARNED && (certain || alike.has(piece) || !isScored(view, piece, rules.scorer))) continue
      if (long && deadline.expired()) return scan
      if (isSpent && OF_COMMANDS.has(rule.detector)) {
        unread = true
        continue
      }
      const hits = viewScan.apply(rule).filter((hit) => isAcross(hit, piece.joints))
      if (hits.length === 0) continue
      if (rule.detector === LEARNED && hits.some(isHeard)) alike.add(piece)
      certain ||= hits.some(isCertain)
      scan.hits.push(...hits)
    }
    // The last rule may have been the slow one.
    if (deadline.expired()) return scan
    commands += viewScan.commandCount
    if (!unread) scan.completed++
  }
  return scan
}

/**
 * Places already reported. A later view shows again what an earlier one has shown; what it shows elsewhere is new.
 * Kept as parted intervals in order, so that a text full of hits costs a search for each and not a comparison of all.
 */
export class SeenSpans {
  private readonly intervals = new Map<string, Span[]>()

  covers(key: string, { start, end }: Span): boolean {
    const known = this.intervals.get(key)
    if (!known) return false
    const next = known[firstPlace(known.length, (at) => known[at]!.end > start)]
    return next !== undefined && next.start < end
  }

  add(key: string, spans: readonly Span[]): void {
    const known = this.intervals.get(key)
    if (known === undefined && spans.length === 1) {
      this.intervals.set(key, [{ ...spans[0]! }])
      return
    }
    const all = [...(known ?? []), ...spans].sort((a, b) => a.start - b.start)
    const merged: Span[] = []
    for (const { start, end } of all) {
      const last = merged.at(-1)
      if (last && start < last.end) last.end = Math.max(last.end, end)
      else merged.push({ start, end })
    }
    this.intervals.set(key, merged)
  }
}
