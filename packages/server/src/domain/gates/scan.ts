// One gate over all views of all pieces. The clock is read between rules; a gate that runs out of time says how many
// of its views it finished, and never passes for one that saw everything.
import type { Normalised, ViewName } from '../text/normalise.ts'
import type { Match } from './detectors/scanner.ts'
import type { Origin, TextGate } from './finding.ts'
import type { Rule, Rules } from './rules.ts'
import { SeenSpans } from './seen.ts'
import { ViewScan } from './view-scan.ts'

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
  const seen = new SeenSpans()
  for (const { piece, view } of planned) {
    const viewScan = new ViewScan(piece, view, rules, origin, seen)
    for (const rule of own) {
      if (deadline.expired()) return scan
      scan.hits.push(...viewScan.apply(rule))
    }
    scan.completed++
  }
  return scan
}
