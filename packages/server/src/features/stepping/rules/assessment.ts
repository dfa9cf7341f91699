/** One step assessed: experts, novelty, disagreement, mode and estimate. The mode decides how far back is looked, so
 *  the estimate is made twice: without what needs the history, for the mode, and with it, for the decision. The
 *  second is never below the first, component by component. */

import type { Effect } from '@orch/core'
import type { Examination } from '../../../domain/decision/examine.ts'
import type { Stage } from '../../../domain/decision/verdict.ts'
import type { Fraction } from '../../../domain/exact-number.ts'
import { auditor } from '../experts/auditor.ts'
import {
  consult,
  distinct,
  EXPERTS,
  type ExpertName,
  type ExpertVerdict,
  isUnavailable,
  MANDATORY,
  measureDisagreement,
  type Opinion,
  ranAs,
  reportOf,
  unknownExperts,
} from '../experts/expert.ts'
import { measureNovelty, NOVELTY_STEPS } from '../experts/novelty.ts'
import { operator } from '../experts/operator.ts'
import { effectAsked, planner } from '../experts/planner.ts'
import type { Prepared, Words } from '../experts/prepared.ts'
import type { Reading } from '../experts/reading.ts'
import { type LedgerView, type NearStep, retriever } from '../experts/retriever.ts'
import { verifier } from '../experts/verifier.ts'
import type { ExpertReport, StepBody, Weighted } from '../schemas.ts'
import {
  type ComponentId,
  computeEstimate,
  type Estimate,
  gateIntensities,
  type Intensities,
  largerOfEach,
  numberIntensities,
} from './estimate.ts'
import { type RememberedStep, seenFrom, windowOf } from './history.ts'
import { exactly, fromMicro, larger, toDecimal, toMicro } from './millionths.ts'
import { chooseRoute, contextTokens, MODES, type Mode, type Routing } from './mode.ts'

export type StepRequest = Omit<StepBody, 'request' | 'risk_budget' | 'dry_run' | 'agent'>

export interface AssessmentInput {
  request: StepRequest
  prepared: Prepared
  words: Words
  examination: Examination
  /** What the policies said about this step. */
  policy: Pick<Stage, 'verdict' | 'reasons'>
  /** The latest recorded steps of the session, 1000 at most, oldest first. */
  history: readonly RememberedStep[]
  ledger: LedgerView
  remaining_quota: number | null
  /** Milliseconds of a clock that never goes back. */
  now: () => number
}

export interface Assessment {
  experts: ExpertReport[]
  unknown_experts: string[]
  expert_unavailable: boolean
  /** An expert that always votes says block. */
  mandatory_block: boolean
  /** The gravest effect the planner found asked for. */
  effect: Effect
  novelty: Weighted
  disagreement: Weighted
  context_estimated: boolean
  routing: Routing & { history_steps: number }
  /** Millionths. */
  preliminary: number
  estimate: Estimate
  nearest: NearStep[]
}

export function assess(input: AssessmentInput): Assessment {
  const { request } = input
  const allowed = [...new Set(request.allowed_experts)]
  const early = EXPERTS.map((expert) => consulted(input, expert, null))
  const novelty = measuredNovelty(input)
  const first = intensitiesOf(input, early, novelty, riskDisagreement(request, [early], allowed))
  const preliminary = computeEstimate(first).micro
  const votes = votesOf(early, allowed)
  const { routing, context_estimated } = routed(input, novelty, votes, preliminary)
  const undeclared = withoutNumbers(input, early)
  const windows = windowsFor(routing.mode, undeclared, novelty, request)
  const views = windows.map((mode) => lookingBack(input, mode))
  const lookbacks = views.map((view) => early.map(view))
  const undeclaredLookbacks = views.map((view) => undeclared.opinions.map(view))
  const spread = riskDisagreement(request, [early, undeclared.opinions, ...lookbacks, ...undeclaredLookbacks], allowed)
  const whole = lookbacks.map((lookback) => intensitiesOf(input, lookback, novelty, spread)).reduce(largerOfEach, first)
  const late = EXPERTS.map((_, at) => lookbacks.map((lookback) => lookback[at]!).reduce(stricter))
  return {
    experts: late.map((opinion) => reportOf(opinion, allowed)),
    unknown_experts: unknownExperts(allowed),
    expert_unavailable: [...early, ...late].some(isUnavailable),
    mandatory_block: late.some(({ expert, verdict }) => MANDATORY.includes(expert) && verdict === 'block'),
    effect: input.prepared.reading === null ? 'none' : effectAsked(input.prepared.reading),
    novelty: weighted(request.novelty, novelty, novelty, riskOf(request.novelty, novelty)),
    disagreement: weighted(request.disagreement, votesOf(late, allowed), votes, spread),
    context_estimated,
    routing: { ...routing, history_steps: seenFrom(input.history, routing.mode).length },
    preliminary,
    estimate: computeEstimate(whole, evidenceOf(late)),
    nearest: late.flatMap((opinion) => ('nearest' in opinion ? (opinion.nearest as NearStep[]) : [])),
  }
}

/** The request as it would be if its caller had declared nothing, and what the experts then say. */
interface Undeclared {
  input: AssessmentInput
  opinions: Opinion[]
}

const NOTHING_DECLARED = {
  mode_hint: 'auto',
  novelty: null,
  disagreement: null,
  context_tokens: 0,
  memory_pressure: null,
} as const

/** Only the operator reads the numbers. The count of tools stays: what the caller can use is his to say. */
function withoutNumbers(given: AssessmentInput, early: readonly Opinion[]): Undeclared {
  const input = { ...given, request: { ...given.request, ...NOTHING_DECLARED } }
  const opinions = early.map((opinion) =>
    opinion.expert === 'operator' ? consulted(input, 'operator', null) : opinion,
  )
  return { input, opinions }
}

/** How far back is looked for the risk: as far as the mode does, and as far as it would had the caller declared no
 *  number, hinted at no mode and left out no expert. A caller who steers the mode to where an earlier refusal is out of
 *  sight does not lower his risk by that. Numbers that steer it the other way bring no reference into sight either; a
 *  hint does, for it asks for the wider look outright. Narrowest first. */
function windowsFor(mode: Mode, { input, opinions }: Undeclared, novelty: number, request: StepRequest): Mode[] {
  const { allowed_experts: allowed, mode_hint } = request
  const spread = riskDisagreement(input.request, [opinions], allowed)
  const risk = computeEstimate(intensitiesOf(input, opinions, novelty, spread)).micro
  const modeFor = (voting: readonly string[]): Mode =>
    routed(input, novelty, votesOf(opinions, voting), risk).routing.mode
  const wanted = new Set([modeFor(allowed), modeFor([])])
  const from = mode_hint === 'auto' ? 0 : MODES.indexOf(mode)
  return MODES.filter((one, at) => one === mode || (wanted.has(one) && at >= from))
}

/** Puts in place of an early opinion what its expert says who looks back so far; each is asked once. */
function lookingBack(input: AssessmentInput, mode: Mode): (opinion: Opinion) => Opinion {
  const late = new Map([...LOOKING_BACK].map((expert) => [expert, consulted(input, expert, mode)]))
  return (opinion) => late.get(opinion.expert) ?? opinion
}

const STRICTNESS: readonly ExpertVerdict[] = ['abstain', 'pass', 'caution', 'block']

/** What either says is said; the wider window comes second and shows what is near in it. */
const stricter = (narrow: Opinion, wide: Opinion): Opinion => ({
  ...wide,
  verdict: STRICTNESS.indexOf(narrow.verdict) > STRICTNESS.indexOf(wide.verdict) ? narrow.verdict : wide.verdict,
  findings: distinct([...wide.findings, ...narrow.findings]),
})

/** Those whose answer depends on how far back is looked. */
const LOOKING_BACK: ReadonlySet<ExpertName> = new Set<ExpertName>(['retriever', 'verifier'])

/** `mode` null: nothing is looked up in the history yet. */
function consulted(input: AssessmentInput, expert: ExpertName, mode: Mode | null): Opinion {
  const { request, prepared, ledger, words, remaining_quota } = input
  const { lexicon } = words
  const earlier = mode ? seenFrom(input.history, mode) : []
  const lookup = mode && { ledger, earlier, window: windowOf(mode) }
  const { references } = prepared
  const memory_pressure = fractionOf(request.memory_pressure)
  const run: Record<ExpertName, () => Opinion> = {
    planner: () => planner(readingOf(input)),
    retriever: () => retriever({ references, own: prepared, lookup, sessionId: request.session_id }),
    auditor: () => auditor({ ...input, lexicon, reading: readingOf(input) }),
    verifier: () => verifier(readingOf(input), earlier, words.hash),
    operator: () => operator({ ...request, memory_pressure, remaining_quota, lexicon, reading: readingOf(input) }),
  }
  return consult(expert, run[expert], input.now)
}

function readingOf({ prepared }: AssessmentInput): Reading {
  if (!prepared.reading) throw new Error('the text could not be read')
  return prepared.reading
}

const measuredNovelty = ({ prepared, history }: AssessmentInput): number =>
  measureNovelty(
    prepared.shingles,
    history.slice(-NOVELTY_STEPS).map(({ shingles }) => shingles),
  )

const votesOf = (opinions: readonly Opinion[], allowed: readonly string[]): number =>
  measureDisagreement(
    opinions.filter(({ expert }) => ranAs(expert, allowed) !== 'RISK_ONLY').map(({ verdict }) => verdict),
  )

/** As large as it was at any time and with anybody's vote: who leaves an expert out does not lower his risk. */
function riskDisagreement(request: StepRequest, lookbacks: readonly Opinion[][], allowed: readonly string[]): Fraction {
  const measured = lookbacks.flatMap((opinions) => [
    votesOf(opinions, allowed),
    measureDisagreement(opinions.map(({ verdict }) => verdict)),
  ])
  return riskOf(request.disagreement, Math.max(...measured))
}

function intensitiesOf(
  input: AssessmentInput,
  opinions: readonly Opinion[],
  novelty: number,
  spread: Fraction,
): Intensities {
  const { request, examination } = input
  const numbers = numberIntensities({ ...request, memory_pressure: fractionOf(request.memory_pressure) })
  const own = { novelty: riskOf(request.novelty, novelty), disagreement: spread }
  return [...opinions.map(({ intensities }) => intensities), gateIntensities(examination), numbers].reduce(
    largerOfEach,
    own,
  )
}

function routed({ request, prepared }: AssessmentInput, novelty: number, votes: number, risk: number) {
  const { tokens, context_estimated } = contextTokens(request.context_tokens, prepared.codePoints)
  const routing = chooseRoute({
    hint: request.mode_hint,
    novelty: fractionOf(request.novelty) ?? fromMicro(novelty),
    disagreement: fractionOf(request.disagreement) ?? fromMicro(votes),
    risk,
    tokens,
    active_tool_count: request.active_tool_count,
    memory_pressure: fractionOf(request.memory_pressure),
  })
  return { routing, context_estimated }
}

const fractionOf = (value: number | null): Fraction | null => (value === null ? null : exactly(value))

const riskOf = (supplied: number | null, measured: number): Fraction =>
  supplied === null ? fromMicro(measured) : larger(exactly(supplied), fromMicro(measured))

const weighted = (supplied: number | null, measured: number, forMode: number, forRisk: Fraction): Weighted => ({
  supplied,
  measured: toDecimal(measured),
  used_for_mode: supplied ?? toDecimal(forMode),
  used_for_risk: toDecimal(toMicro(forRisk)),
})

function evidenceOf(opinions: readonly Opinion[]): Partial<Record<ComponentId, string[]>> {
  const codes: Partial<Record<ComponentId, string[]>> = {}
  for (const { weight_id, code } of opinions.flatMap(({ findings }) => findings))
    if (weight_id && !codes[weight_id]?.includes(code)) codes[weight_id] = [...(codes[weight_id] ?? []), code]
  return codes
}
