/** What the hits add up to: the counts lambda is computed from, and the places a redaction covers. */
import type { RuleCount } from '@orch/core'
import { gravest, isGraver, type Severity } from '../gates/finding.ts'
import type { Judged } from '../gates/judge.ts'
import type { Piece } from '../gates/scan.ts'

/** Each threat rule once, as grave as its gravest finding. */
export function threatCounts(hits: readonly Judged[]): RuleCount[] {
  const worst = new Map<string, Severity>()
  for (const { rule, severity } of hits)
    if (rule.gate === 'threat-signature-scan') worst.set(rule.id, gravest([severity, worst.get(rule.id) ?? 'note'])!)
  return sorted([...worst].map(([rule, severity]) => ({ rule, severity, values: 1 })))
}

/** Each distinct value of a guard rule once, as grave as its gravest finding, counted by rule and severity. */
export function valueCounts(hits: readonly Judged[]): RuleCount[] {
  const values = new Map<string, Judged>()
  for (const hit of hits) {
    const key = `${hit.rule.id} ${hit.value}`
    const known = values.get(key)
    if (hit.rule.gate === 'pii-egress-guard' && (!known || isGraver(hit.severity, known.severity))) values.set(key, hit)
  }
  const counts = new Map<string, RuleCount>()
  for (const { rule, severity } of values.values()) {
    const key = `${rule.id} ${severity}`
    counts.set(key, { rule: rule.id, severity, values: (counts.get(key)?.values ?? 0) + 1 })
  }
  return sorted([...counts.values()])
}

const sorted = (counts: RuleCount[]): RuleCount[] =>
  counts.sort((a, b) => (a.rule === b.rule ? Number(isGraver(b.severity, a.severity)) : a.rule < b.rule ? -1 : 1))

export function transparencyOf(pieces: readonly Piece[]) {
  const sum = (count: (piece: Piece) => number): number => pieces.reduce((total, piece) => total + count(piece), 0)
  return {
    invisible: sum(({ normalised }) => normalised.invisible),
    mixed_script_words: sum(({ normalised }) => normalised.mixedScriptWords),
    decoded_children: sum(({ normalised }) => normalised.decodedChildren),
  }
}

const RANK: Record<Severity, number> = { block: 0, hold: 1, note: 2 }

/** A stable order: what is cut off at the end of a long list is never the gravest. */
export const worstFirst = (hits: readonly Judged[]): Judged[] =>
  [...hits].sort((a, b) => RANK[a.severity] - RANK[b.severity])

export function valuePlaces(hits: readonly Judged[]): { start: number; end: number; rule: string }[] {
  return hits
    .filter(
      ({ rule, pointer }) => rule.gate === 'pii-egress-guard' && rule.detector !== 'bulk-contacts' && pointer === null,
    )
    .map(({ start, end, rule }) => ({ start, end, rule: rule.id }))
    .sort((a, b) => a.start - b.start || b.end - a.end)
}
