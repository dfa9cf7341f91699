/** The examination of a text that nobody finished reading: as sensitive as can be, nothing completed, never an allow. */
import type { Evaluation, Examination } from '../../domain/decision/examine.ts'
import type { Stage, StageId } from '../../domain/decision/verdict.ts'
import type { GateRequest } from '../contract.ts'

/** `queue_full`: no thread was free to begin with it. `timed_out`: one began and did not come back in time. `crashed`: the one
 *  that held it failed or sent an invalid reply. */
export type ExaminationFailure = 'queue_full' | 'timed_out' | 'crashed'

export function unanswered({ declared, direction, origin, effect }: GateRequest, why: ExaminationFailure): Examination {
  const nothing = (): Evaluation => ({ planned: 1, completed: 0, ms: null })
  return {
    stages: stagesOf(why),
    normaliseMs: null,
    evaluations: {
      'sensitivity-lattice': nothing(),
      'threat-signature-scan': nothing(),
      'pii-egress-guard': nothing(),
    },
    findings: [],
    findings_total: 0,
    values: [],
    sensitivity: { class: 'SECRET', rank: 3, inferred: 'SECRET', declared, signals: [] },
    threats: [],
    valueCounts: [],
    transparency: { invisible: 0, mixed_script_words: 0, decoded_children: 0 },
    planned: 2,
    completed: 0,
    folded: '',
    direction,
    origin,
    effect,
    shown: 'none',
  }
}

/**
 * A text that was never begun is merely late and waits for a person. One that hung a thread got no answer from the
 * normaliser or the lattice either, and those two deny where they do not answer: a text that stops the gates is no text
 * to be waved through by hand.
 */
function stagesOf(why: ExaminationFailure): Stage[] {
  const late = (id: StageId): Stage => ({ id, verdict: 'review', reasons: ['GATE_TIMEOUT'] })
  const denied = (id: StageId): Stage => ({ id, verdict: 'deny', reasons: ['GATE_ERROR'] })
  const [first, gates] = [why === 'queue_full' ? late : denied, why === 'crashed' ? denied : late]
  return [first('normalise'), first('sensitivity-lattice'), gates('threat-signature-scan'), gates('pii-egress-guard')]
}
