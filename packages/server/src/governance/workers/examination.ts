/** One request examined by the rules at hand, on whichever thread. */
import { DEADLINE_MS, type Examination, examineText } from '../../domain/decision/examine.ts'
import type { Rules } from '../../domain/gates/rules.ts'
import type { GateRequest } from '../contract.ts'
import { workClock } from './cpu-clock.ts'
import { unanswered } from './failed-examination.ts'

const STAGES = 'normalise,sensitivity-lattice,threat-signature-scan,pii-egress-guard'

/** Field by field: a request that brings more cannot bring rules, a deadline or anything that no thread can be handed. */
export function plainRequest(request: GateRequest): GateRequest {
  const { text, direction, origin, effect, declared, context, sessionTail = '' } = request
  return { text, direction, origin, effect, declared, context, sessionTail }
}

export function examineBy(rules: Rules, request: GateRequest): Examination {
  try {
    const clocks = { now: workClock(), wall: () => performance.now() }
    return examineText({ ...plainRequest(request), rules, deadlineMs: DEADLINE_MS, ...clocks })
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
