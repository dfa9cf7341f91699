/** What the hits add up to: the counts lambda is computed from, and the places a redaction covers. */
import type { RuleCount } from '@orch/core'
import { gravest, isGraver, isSecretRule, type Severity, type TextGate } from '../gates/finding.ts'
import type { Judged } from '../gates/judge.ts'
import type { Piece } from '../gates/scan.ts'
import type { GateRun } from './examine.ts'
import { type Reason, type Stage, stage, type Verdict } from './verdict.ts'

export function normaliseStage(pieces: readonly Piece[], failed: boolean): Stage {
  if (failed) return stage('normalise', 'deny', 'GATE_ERROR')
  const bounded = pieces.some(({ normalised }) => normalised.decodeBound)
  return bounded ? stage('normalise', 'review', 'DECODE_BOUND') : stage('normalise', 'allow')
}

export const latticeStage = (failed: boolean): Stage =>
  failed ? stage('sensitivity-lattice', 'deny', 'GATE_ERROR') : stage('sensitivity-lattice', 'allow')

/** A gate that broke denies, whatever it had found; one that ran late says what it found and is reviewed at least. */
export function gateStage(gate: TextGate, run: GateRun, hits: readonly Judged[], broken: boolean): Stage {
  if (run.failed || broken) return stage(gate, 'deny', 'GATE_ERROR')
  const own = hits.filter(({ rule }) => rule.gate === gate)
  const worst = gravest(own.map(({ severity }) => severity))
  const late = run.completed < run.planned
  if (worst === null || worst === 'note') return late ? stage(gate, 'review', 'GATE_TIMEOUT') : stage(gate, 'allow')
  const verdict: Verdict = worst === 'block' ? 'deny' : 'review'
  const reasons = own.filter(({ severity }) => severity === worst).map(reasonOf)
  if (late && verdict === 'review') reasons.push('GATE_TIMEOUT')
  return stage(gate, verdict, ...new Set(reasons))
}

function reasonOf({ rule }: Judged): Reason {
  if (rule.gate === 'threat-signature-scan') return 'THREAT_SIGNATURE'
  return isSecretRule(rule.id) ? 'SECRET_EGRESS' : 'PII_EGRESS'
}

/** Each threat rule once, as grave as its gravest finding. */
export function threatCounts(hits: readonly Judged[]): RuleCount[] {
  const worst = new Map<string, Severity>()
  for (const { rule, severity } of hits)
    if (rule.gate === 'threat-signature-scan') worst.set(rule.id, gravest([severity, worst.get(rule.id) ?? 'note'])!)
  return sorted([...worst].map(([rule, severity]) => ({ rule, severity, values: 1 })))
}

/** Each distinct value of a guard rule once, as grave as its gravest finding, counted by rule and severity. */
export function valueCounts(hits: readonly Judged[]): RuleCount[] {
  const own = hits.filter(({ rule }) => rule.gate === 'pii-egress-guard')
  const counts = [...Map.groupBy(own, ({ rule }) => rule.id)].flatMap(([rule, found]) => {
    const severities = new Map<string, Severity>()
    for (const { value, severity } of found) {
      const known = severities.get(value)
      if (known === undefined || isGraver(severity, known)) severities.set(value, severity)
    }
    return [...Map.groupBy(severities.values(), (severity) => severity)].map(
      ([severity, values]): RuleCount => ({ rule, severity, values: values.length }),
    )
  })
  return sorted(counts)
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

/** A stable order: what is cut off at the end of a long list is never the gravest. */
export const worstFirst = (hits: readonly Judged[]): Judged[] =>
  [...hits].sort((a, b) => Number(isGraver(b.severity, a.severity)) - Number(isGraver(a.severity, b.severity)))

export function valuePlaces(hits: readonly Judged[]): { start: number; end: number; rule: string }[] {
  return hits
    .filter(
      ({ rule, pointer }) => rule.gate === 'pii-egress-guard' && rule.detector !== 'bulk-contacts' && pointer === null,
    )
    .map(({ start, end, rule }) => ({ start, end, rule: rule.id }))
    .sort((a, b) => a.start - b.start || b.end - a.end)
}
