/** Stages S1 to S3: what one text shows. Pure: the clock, the rules and the session's memory come in as arguments. */
import type { RuleCount } from '@orch/core'
import type { Direction, Effect, Finding, Origin, SensitivityClass, TextGate } from '../gates/finding.ts'
import { findingOf, judge, shownEffect } from '../gates/judge.ts'
import type { Rules } from '../gates/rules.ts'
import { type Piece, type Scan, scanGate } from '../gates/scan.ts'
import { sensitivityOf } from '../gates/sensitivity.ts'
import { decodeAllowance } from '../text/children.ts'
import { extracted, type MappedText, partOf, rawText } from '../text/mapped-text.ts'
import { normalise, normaliseSeam } from '../text/normalise.ts'
import { SEAM_REACH } from '../text/session-text.ts'
import {
  gateStage,
  latticeStage,
  normaliseStage,
  threatCounts,
  transparencyOf,
  valueCounts,
  valuePlaces,
  worstFirst,
} from './counts.ts'
import type { Stage } from './verdict.ts'
import type { Sensitivity } from './wire.ts'

/** One of the texts that a text was put together from. */
export interface TextPart {
  /** Its length in UTF-16 units, with what stands between it and the next. */
  units: number
  origin: Origin
}

export interface ExamineInput {
  text: string
  direction: Direction
  origin: Origin
  /** Where not all of the text is of one origin: all its parts in order. Each is read by the rules for its own. */
  parts?: readonly TextPart[] | undefined
  effect: Effect
  declared: SensitivityClass
  context?: unknown
  /** The last folded code points of the session; empty without one. */
  sessionTail?: string
  rules: Rules
  deadlineMs: number
  /** The clock of the deadline: milliseconds, never going back. */
  now: () => number
  /** The clock that durations are told by, where it is another one. */
  wall?: () => number
}

export interface Evaluation {
  planned: number
  completed: number
  /** Null where nothing was timed, for nothing came back. */
  ms: number | null
}

export interface Examination {
  stages: Stage[]
  normaliseMs: number | null
  evaluations: Record<'sensitivity-lattice' | TextGate, Evaluation>
  findings: Finding[]
  /** How many there are; the list keeps the gravest. */
  findings_total: number
  /** Every place of a personal value or a secret in the text itself, for redaction. */
  values: { start: number; end: number; rule: string }[]
  sensitivity: Sensitivity
  threats: RuleCount[]
  valueCounts: RuleCount[]
  transparency: { invisible: number; mixed_script_words: number; decoded_children: number }
  /** Over both text gates. */
  planned: number
  completed: number
  /** For the session's memory; empty where the text could not be read. */
  folded: string
  direction: Direction
  origin: Origin
  /** What the caller declared, or its tool is registered with. */
  effect: Effect
  /** What a command in the text would do; none where there is no command that is more than mentioned. */
  shown: Effect
}

export const DEADLINE_MS = 50
const MAX_FINDINGS = 64

export function examineText(input: ExamineInput): Examination {
  const wall = input.wall ?? input.now
  const started = wall()
  const pieces = attempt(() => piecesOf(input, input.rules))
  const normaliseMs = wall() - started
  const joined = attempt(() => joinedContext(input))
  const threat = runGate('threat-signature-scan', [...(pieces.value ?? []), ...(joined.value ?? [])], input)
  const guard = runGate('pii-egress-guard', pieces.value ?? [], input)
  const judged = attempt(() => judge([...threat.hits, ...guard.hits], input.rules, input))
  const hits = judged.value ?? []
  const begun = wall()
  const lattice = attempt(() => sensitivityOf(pieces.value ?? [], hits, input.declared))
  const latticeMs = wall() - begun
  const broken = pieces.failed || joined.failed || judged.failed
  return {
    normaliseMs,
    stages: [
      normaliseStage(pieces.value ?? [], pieces.failed),
      latticeStage(broken || lattice.failed),
      gateStage('threat-signature-scan', threat, hits, broken),
      gateStage('pii-egress-guard', guard, hits, broken),
    ],
    evaluations: {
      'sensitivity-lattice': { planned: 1, completed: lattice.failed ? 0 : 1, ms: latticeMs },
      'threat-signature-scan': evaluationOf(threat),
      'pii-egress-guard': evaluationOf(guard),
    },
    findings: worstFirst(hits).slice(0, MAX_FINDINGS).map(findingOf),
    findings_total: hits.length,
    values: valuePlaces(hits),
    sensitivity: broken || lattice.failed ? unreadable(input.declared) : lattice.value,
    threats: threatCounts(hits),
    valueCounts: valueCounts(hits),
    transparency: transparencyOf(pieces.value ?? []),
    planned: threat.planned + guard.planned,
    completed: threat.completed + guard.completed,
    folded: foldedOf(pieces.value ?? []),
    direction: input.direction,
    origin: input.origin,
    effect: input.effect,
    shown: shownEffect(hits),
  }
}

/** What could not be read is treated as the worst it can be. */
const unreadable = (declared: SensitivityClass): Sensitivity => ({
  class: 'SECRET',
  rank: 3,
  inferred: 'SECRET',
  declared,
  signals: [],
})

export interface GateRun extends Scan {
  failed: boolean
  ms: number
}

function runGate(gate: TextGate, pieces: readonly Piece[], input: ExamineInput): GateRun {
  const { rules, now, deadlineMs, wall = now } = input
  const started = wall()
  const begun = now()
  const deadline = { expired: () => now() - begun >= deadlineMs }
  const scan = attempt(() => scanGate(gate, pieces, rules, deadline))
  const empty: Scan = { hits: [], planned: 1, completed: 0 }
  return { ...(scan.value ?? empty), failed: scan.failed, ms: wall() - started }
}

const evaluationOf = ({ planned, completed, ms }: GateRun): Evaluation => ({ planned, completed, ms })

type Attempt<T> = { value: T; failed: false } | { value: null; failed: true }

/** A stage that throws has not answered; its verdict is a denial, so what it threw changes nothing more. */
function attempt<T>(run: () => T): Attempt<T> {
  try {
    return { value: run(), failed: false }
  } catch {
    return { value: null, failed: true }
  }
}

const MAX_DEPTH = 64
/** A key that is plainly a name is shown in a pointer. Any other may be the very value that was found, and pointers go
 *  into receipts: it is told by its place among the keys of its object. */
const NAME = /^[A-Za-z][A-Za-z_-]{0,23}$/

type Given = Pick<ExamineInput, 'text' | 'origin' | 'parts' | 'context' | 'sessionTail'>

/** Every key and every string of a context is text an attacker may have written. */
export function piecesOf({ text, origin, parts = [], context, sessionTail = '' }: Given, rules: Rules): Piece[] {
  const inContext = leaves(context, '', '', 0)
  const allowance = decodeAllowance([text, ...inContext.map((leaf) => leaf.text)])
  const read = (own: string | MappedText, tail: string) =>
    normalise(own, rules.confusables, tail, allowance, rules.index)
  const whole = rawText(text)
  const ranges = rangesOf(whole, parts.length === 0 ? [{ units: text.length, origin }] : parts)
  const placed = { pointer: null, label: '' }
  return [
    ...textsByOrigin(whole, ranges).map(([from, own]) => ({
      ...placed,
      origin: from,
      normalised: read(own, sessionTail),
    })),
    ...seamsOf(whole, ranges).map((seam) => ({ ...placed, ...seam })),
    ...inContext.map(({ text: leaf, ...place }) => ({ ...place, origin, normalised: read(leaf, '') })),
  ]
}

interface Range {
  origin: Origin
  from: number
  to: number
}

function rangesOf(whole: MappedText, parts: readonly TextPart[]): Range[] {
  let to = 0
  const ranges = parts.map(({ units, origin }) => {
    const from = to
    to += units
    return { origin, from, to }
  })
  if (to !== whole.text.length) throw new RangeError('the parts of a text are not as long as the text')
  return ranges
}

/** What is of one origin is read as one text, so that nothing hides between two of its parts. */
function textsByOrigin(whole: MappedText, ranges: readonly Range[]): [origin: Origin, text: MappedText][] {
  if (ranges.length === 1) return [[ranges[0]!.origin, whole]]
  return [...Map.groupBy(ranges, ({ origin }) => origin)].map(([origin, own]) => [origin, extracted(whole, own)])
}

/** An agent's chat grows by a message or two from one request to the next, so earlier seams were read before. */
const MAX_SEAMS = 64

/** A phrase that begins in one text and ends in the next, of somebody else, is one to the model that reads both; it is
 *  taken for the words of whoever ended it. */
function seamsOf(whole: MappedText, ranges: readonly Range[]): Pick<Piece, 'origin' | 'normalised'>[] {
  const changes = ranges.flatMap((own, at) => (at > 0 && ranges[at - 1]!.origin !== own.origin ? [at] : []))
  return changes.slice(-MAX_SEAMS).map((at) => {
    const [before, own] = [ranges[at - 1]!, ranges[at]!]
    const end = partOf(whole, Math.max(before.from, before.to - SEAM_REACH), before.to)
    const begin = partOf(whole, own.from, Math.min(own.to, own.from + SEAM_REACH))
    return { origin: own.origin, normalised: normaliseSeam(end, begin) }
  })
}

const foldedOf = (pieces: readonly Piece[]): string =>
  pieces
    .flatMap(({ pointer, normalised }) => (pointer === null && normalised.folded !== '' ? [normalised.folded] : []))
    .join(' ')

interface Leaf {
  pointer: string
  label: string
  text: string
}

function leaves(value: unknown, pointer: string, label: string, depth: number): Leaf[] {
  if (depth > MAX_DEPTH) throw new RangeError('a context nested deeper than any that is accepted')
  if (typeof value === 'string') return value === '' ? [] : [{ pointer, label, text: value }]
  if (typeof value === 'number') return [{ pointer, label, text: String(value) }]
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, `${pointer}/${at}`, label, depth + 1))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item], at) => {
    const place = `${pointer}/${NAME.test(key) ? key : `*${at}`}`
    return [{ pointer: place, label: '', text: key }, ...leaves(item, place, key, depth + 1)]
  })
}

/** So much of either end of a value: what reaches over to the next one stands there. */
const END_REACH = 256

/** The values of a context in one row, as a program gets the words of its command line: one that no value holds by itself may be
 *  in several. Plain values of an object stand before its lists, `command` before `args`. */
function joinedContext({ context, origin, rules }: ExamineInput): Piece[] {
  const values = valuesOf(context).map(endsOf)
  if (values.length < 2) return []
  const text = values.join(' ')
  let at = 0
  const joints = values.slice(0, -1).map((value) => {
    at += [...value].length + 1
    return at - 1
  })
  const normalised = normalise(text, rules.confusables, '', decodeAllowance([text]), rules.index)
  return [{ pointer: '', label: '', origin, normalised, joints }]
}

function valuesOf(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  const isPlain = (item: unknown): boolean => typeof item !== 'object'
  const all: unknown[] = Object.values(value)
  const inOrder = Array.isArray(value) ? all : [...all.filter(isPlain), ...all.filter((item) => !isPlain(item))]
  return inOrder.flatMap(valuesOf)
}

const endsOf = (value: string): string =>
  value.length <= 2 * END_REACH ? value : `${value.slice(0, END_REACH)}\n${value.slice(-END_REACH)}`.toWellFormed()

/** The text with every personal value and secret replaced by its rule; it changes nothing about the decision. */
export function redacted(text: string, { values }: Pick<Examination, 'values'>): string {
  const letters = [...text]
  let out = ''
  let at = 0
  for (const { start, end, rule } of values) {
    if (end <= at) continue
    out += letters.slice(at, Math.max(at, start)).join('')
    if (start >= at) out += `[${rule}]`
    at = end
  }
  return out + letters.slice(at).join('')
}
