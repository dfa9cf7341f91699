/** One request examined by the rules at hand, on whichever thread. */
import { DEADLINE_MS, type Evaluation, type Examination, examineText } from '../../domain/decision/examine.ts'
import type { Stage, StageId } from '../../domain/decision/verdict.ts'
import type { Rules } from '../../domain/gates/rules.ts'
import type { GateRequest } from '../contract.ts'
import { workClock } from './cpu-clock.ts'

const STAGES = 'normalise,sensitivity-lattice,threat-signature-scan,pii-egress-guard'

/** Field by field: a request that brings more cannot bring rules, a deadline or anything that no thread can be handed. */
export function plainRequest(request: GateRequest): GateRequest {
  const { text, direction, origin, parts, effect, declared, context, sessionTail = '' } = request
  return { text, direction, origin, ...(parts === undefined ? {} : { parts }), effect, declared, context, sessionTail }
}

export function examineBy(rules: Rules, request: GateRequest, deadlineMs = DEADLINE_MS): Examination {
  try {
    const clocks = { now: workClock(), wall: () => performance.now() }
    return examineText({ ...plainRequest(request), rules, deadlineMs, ...clocks })
  } catch {
    // Whatever it threw, the text was not examined, and that is all the decision has to know.
    return unanswered(request, 'crashed')
  }
}

/** Something for most parts of the gates to read. */
const PRACTICE =
  'Tom&#39;s card 4539 5787 6362 1486, https://example.org/?q=SGVsbG8gd29ybGQsIGhlbGxv, "rm -rf /" Привет 😀 ｆｕｌｌ\u200b. '
const TIMES = 3

let isWarm = false

/** Code that has not run costs many times the processor: without practice the first text of a fresh service would be the
 *  one that is held for being late. Once per thread: what ran for one set of rules has run for the next. */
export function warmUp(rules: Rules, repeats = 1): void {
  if (isWarm) return
  isWarm = true
  const text = PRACTICE.repeat(repeats)
  const request: GateRequest = { text, direction: 'input', origin: 'user', effect: 'none', declared: 'PUBLIC' }
  for (let time = 0; time < TIMES; time++) examineBy(rules, request)
}

/** What came back from a thread, if each of them has said something of every stage. */
export function readExaminations(text: unknown): Examination[] | null {
  const read = parsed(text)
  return Array.isArray(read) && read.every(isExamination) ? read : null
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return null
  }
}

function isExamination(answer: unknown): answer is Examination {
  const stages = (answer as Examination | null)?.stages
  return Array.isArray(stages) && stages.map((stage) => stage?.id).join() === STAGES
}

/** `queue_full`: no thread was free to begin with it in time. `timed_out`: one began and did not come back in time. `crashed`: the one
 *  that had it failed or sent an invalid reply. */
export type ExaminationFailure = 'queue_full' | 'timed_out' | 'crashed'

/** The examination of a text that nobody finished reading: as sensitive as can be, nothing completed, never an allow. */
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
