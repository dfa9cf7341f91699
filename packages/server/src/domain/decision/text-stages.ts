import { gravest, type TextGate } from '../gates/finding.ts'
import type { Judged } from '../gates/judge.ts'
import type { Piece } from '../gates/scan.ts'
import type { GateRun } from './examine.ts'
import type { Reason, Stage, Verdict } from './verdict.ts'

export function normaliseStage(pieces: readonly Piece[], failed: boolean): Stage {
  if (failed) return { id: 'normalise', verdict: 'deny', reasons: ['GATE_ERROR'] }
  const bounded = pieces.some(({ normalised }) => normalised.decodeBound)
  return bounded
    ? { id: 'normalise', verdict: 'review', reasons: ['DECODE_BOUND'] }
    : { id: 'normalise', verdict: 'allow', reasons: [] }
}

export const latticeStage = (failed: boolean): Stage =>
  failed
    ? { id: 'sensitivity-lattice', verdict: 'deny', reasons: ['GATE_ERROR'] }
    : { id: 'sensitivity-lattice', verdict: 'allow', reasons: [] }

/** A gate that broke denies, whatever it had found; one that ran late says what it found and is reviewed at least. */
export function gateStage(gate: TextGate, run: GateRun, hits: readonly Judged[], broken: boolean): Stage {
  if (run.failed || broken) return { id: gate, verdict: 'deny', reasons: ['GATE_ERROR'] }
  const own = hits.filter(({ rule }) => rule.gate === gate)
  const worst = gravest(own.map(({ severity }) => severity))
  const late = run.completed < run.planned
  if (worst === null || worst === 'note')
    return late
      ? { id: gate, verdict: 'review', reasons: ['GATE_TIMEOUT'] }
      : { id: gate, verdict: 'allow', reasons: [] }
  const verdict: Verdict = worst === 'block' ? 'deny' : 'review'
  const reasons = own.filter(({ severity }) => severity === worst).map(reasonOf)
  if (late && verdict === 'review') reasons.push('GATE_TIMEOUT')
  return { id: gate, verdict, reasons: [...new Set(reasons)] }
}

function reasonOf({ rule }: Judged): Reason {
  if (rule.gate === 'threat-signature-scan') return 'THREAT_SIGNATURE'
  return rule.id >= 'P20' ? 'SECRET_EGRESS' : 'PII_EGRESS'
}
