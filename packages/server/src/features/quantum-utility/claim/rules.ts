/** Twelve rules that a claim of quantum advantage is held to. A rule that cannot be judged is not passed. */
import { sum } from '../../../domain/exact-number.ts'
import { compare, fractionOf, minus, ZERO } from '../counterfactual/money.ts'
import type { Baseline } from '../qubo/baseline.ts'
import type { ReplayVerdict } from '../receipt.ts'
import type { ClaimInput, Observation } from '../schemas.ts'
import { significant } from '../significant.ts'
import { bootstrapUpperBound, pooledTimeToSolution } from './time-to-solution.ts'

export const RULE_STATES = ['PASS', 'FAIL', 'NOT_EVALUABLE'] as const
interface Rule {
  id: string
  state: (typeof RULE_STATES)[number]
  detail: string
}

/** What the rules rest on besides the claim: the baseline as it was replayed now, null where it is none. */
interface Replayed {
  verdict: ReplayVerdict
  baseline: Baseline | null
}

const MIN_OBSERVATIONS = 3
const MAX_SHOTS_OF_RUN = 1e6
const TOLERANCE = 1e-9
const DAY_MS = 86_400_000
const MAX_AGE_MS = 365 * DAY_MS

const rule = (id: string, passes: boolean, good: string, bad: string): Rule => ({
  id,
  state: passes ? 'PASS' : 'FAIL',
  detail: passes ? good : bad,
})
const notEvaluable = (id: string, detail: string): Rule => ({ id, state: 'NOT_EVALUABLE', detail })

const isBlank = (text: string): boolean => text.trim() === ''
const HEX64 = /^[0-9a-f]{64}$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/
const isDigest = (text: string): boolean => HEX64.test(text) && !/^0+$/.test(text)

/** Not a number where there is no such day or hour, which `Date.parse` would roll over. */
function timeOf(text: string): number {
  const stated = text.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
  const wall = ISO_TIME.test(text) ? Date.parse(`${stated}Z`) : Number.NaN
  return !Number.isNaN(wall) && new Date(wall).toISOString().startsWith(stated) ? Date.parse(text) : Number.NaN
}

export function judgeClaim(input: ClaimInput, replayed: Replayed) {
  const runs = input.quantum_observations
  const times = timesOf(runs, input.environment.baseline_wall_seconds, input.claim_id)
  const rules = [
    ...wording(input),
    baselineRule(replayed),
    observationCount(runs),
    observationContent(runs, replayed.baseline),
    ...marginRules(input),
    provenanceRule(input),
    objectiveRule(runs, replayed.baseline),
    speedRule(times, input.environment.baseline_wall_seconds),
    ageRule(input),
    ledgerRule(input),
  ].sort((a, b) => (a.id < b.id ? -1 : 1))
  const evidence_state = stateOf(input, rules)
  const passed = rules.every(({ state }) => state === 'PASS')
  return {
    claim_id: input.claim_id,
    evidence_state,
    rules,
    flags: rules.some(({ id, state }) => id === 'QUG-009' && state === 'FAIL') ? ['IMPOSSIBLE_OBJECTIVE' as const] : [],
    gate_passed: passed,
    eligible_for_human_review: passed,
    time_to_solution: times,
    certified_minimum: replayed.baseline?.certified === true ? replayed.baseline.objective : null,
    ...input.environment,
    quantum_advantage_verified: false as const,
    claim_authorized: false as const,
    publication_authorized: false as const,
    execution_authorized: false as const,
  }
}

function stateOf({ utility_margin, uncertainty }: ClaimInput, rules: readonly Rule[]) {
  const isRefuted =
    compare(fractionOf(utility_margin.value_usd), ZERO) <= 0 ||
    compare(fractionOf(uncertainty.upper), ZERO) <= 0 ||
    rules.some(({ id, state }) => id === 'QUG-009' && state === 'FAIL')
  if (isRefuted) return 'REFUTED' as const
  return rules.every(({ state }) => state === 'PASS') ? ('SUPPORTED' as const) : ('UNKNOWN' as const)
}

const wording = ({ claim_type, claim_id, claim_owner }: ClaimInput): Rule[] => [
  rule(
    'QUG-001',
    claim_type === 'QUANTUM_ADVANTAGE',
    'the claim is one of advantage',
    'claim_type is not QUANTUM_ADVANTAGE',
  ),
  rule(
    'QUG-002',
    !isBlank(claim_id) && !isBlank(claim_owner),
    'claim_id and claim_owner are stated',
    'claim_id or claim_owner is blank',
  ),
]

function baselineRule({ verdict, baseline }: Replayed): Rule {
  if (!verdict.valid) {
    const where = verdict.first_difference === null ? '' : `; it differs at ${verdict.first_difference.pointer}`
    return rule(
      'QUG-003',
      false,
      '',
      `the baseline receipt does not replay: ${verdict.replay_error ?? 'digests or output differ'}${where}`,
    )
  }
  if (baseline === null) return rule('QUG-003', false, '', 'the receipt is not one of qubo/baseline')
  return rule(
    'QUG-003',
    baseline.certified && baseline.complete,
    'the baseline replays and its minimum is certified',
    'the baseline replays, but its objective is not certified',
  )
}

const observationCount = ({ length }: readonly Observation[]): Rule =>
  rule('QUG-004', length >= MIN_OBSERVATIONS, `${length} observations`, `${length} of ${MIN_OBSERVATIONS} observations`)

function observationContent(runs: readonly Observation[], baseline: Baseline | null): Rule {
  if (runs.length === 0) return notEvaluable('QUG-005', 'there is no observation')
  if (baseline === null) return notEvaluable('QUG-005', 'there is no baseline to compare the problem digest with')
  const wrong = runs.flatMap((run, at) =>
    faultsOf(run, baseline, runs.slice(0, at)).map((what) => `observation ${at}: ${what}`),
  )
  return rule(
    'QUG-005',
    wrong.length === 0,
    'every observation is complete and of this problem',
    wrong.slice(0, 5).join('; '),
  )
}

const faultsOf = (run: Observation, baseline: Baseline, before: readonly Observation[]): string[] =>
  [
    [isBlank(run.run_id), 'run_id is blank'],
    [before.some(({ run_id }) => run_id.trim() === run.run_id.trim()), 'run_id stands twice'],
    [
      before.some(({ raw_result_sha256 }) => raw_result_sha256 === run.raw_result_sha256),
      'raw_result_sha256 is that of an earlier observation',
    ],
    [run.problem_digest !== baseline.problem_digest, 'problem_digest is not that of the baseline'],
    [
      run.success_count > 0 && isAboveMinimum(run, baseline),
      'success_count counts shots that reached the certified minimum, and its objective lies above that',
    ],
    [isBlank(run.backend_id), 'backend_id is blank'],
    [run.shots < 1 || run.shots > MAX_SHOTS_OF_RUN, `shots is not from 1 to ${MAX_SHOTS_OF_RUN}`],
    [run.success_count > run.shots, 'success_count is more than shots'],
    [run.wall_seconds <= 0, 'wall_seconds is not above 0'],
    [!isDigest(run.raw_result_sha256), 'raw_result_sha256 is no digest, or all zero'],
    [Number.isNaN(timeOf(run.observed_at)), 'observed_at is no ISO 8601 time with a zone'],
  ].flatMap(([isWrong, what]) => (isWrong ? [what as string] : []))

function marginRules({ utility_margin, uncertainty }: ClaimInput): Rule[] {
  const [margin, lower, upper] = [utility_margin.value_usd, uncertainty.lower, uncertainty.upper].map(fractionOf)
  const wrong = [
    [compare(lower!, ZERO) <= 0, 'lower is not above 0'],
    [compare(lower!, margin!) > 0 || compare(margin!, upper!) > 0, 'the margin is not between lower and upper'],
    [uncertainty.confidence < 0.5 || uncertainty.confidence > 1, 'confidence is not from 0.5 to 1'],
    [isBlank(uncertainty.method), 'method is blank'],
    [isBlank(uncertainty.source), 'source is blank'],
  ].flatMap(([isWrong, what]) => (isWrong ? [what as string] : []))
  return [
    rule('QUG-006', compare(margin!, ZERO) > 0, 'the margin is above 0', 'the margin is not above 0'),
    rule('QUG-007', wrong.length === 0, 'the whole interval is above 0', wrong.join('; ')),
  ]
}

function provenanceRule({ provenance }: ClaimInput): Rule {
  const isGood = ({ uri, sha256, observed_at }: ClaimInput['provenance'][number]) =>
    !isBlank(uri) && isDigest(sha256) && !Number.isNaN(timeOf(observed_at))
  const bad = provenance.findIndex((one) => !isGood(one))
  return rule(
    'QUG-008',
    provenance.length > 0 && bad < 0,
    `${provenance.length} sources`,
    provenance.length === 0 ? 'there is no provenance' : `provenance ${bad} lacks a uri, a digest or an ISO time`,
  )
}

/** What a minimum is known to. */
const slackOf = ({ arithmetic }: Baseline) => fractionOf(TOLERANCE + 2 * arithmetic.tolerance)

/** Runs sum their objective in doubles, each its own way. */
const isAboveMinimum = ({ objective }: Observation, baseline: Baseline): boolean =>
  baseline.certified &&
  compare(
    minus(fractionOf(objective), fractionOf(TOLERANCE * Math.abs(baseline.objective))),
    sum(fractionOf(baseline.objective), slackOf(baseline)),
  ) > 0

/** Below the certified minimum nothing can lie: whoever reports it measured another problem, or nothing. */
function objectiveRule(runs: readonly Observation[], baseline: Baseline | null): Rule {
  if (baseline === null || !baseline.certified) return notEvaluable('QUG-009', 'no certified minimum is known')
  if (runs.length === 0) return notEvaluable('QUG-009', 'there is no observation')
  const least = minus(fractionOf(baseline.objective), slackOf(baseline))
  const at = runs.findIndex(({ objective }) => compare(fractionOf(objective), least) < 0)
  return rule(
    'QUG-009',
    at < 0,
    'no objective lies below the certified minimum',
    `IMPOSSIBLE_OBJECTIVE: observation ${at} reports ${runs[at]?.objective}, below the certified minimum ${baseline.objective}`,
  )
}

/** Infinite times are null. */
function timesOf(runs: readonly Observation[], classical: number | null, key: string) {
  const isUsable =
    runs.length > 0 &&
    runs.every(
      ({ shots, success_count, wall_seconds }) =>
        shots >= 1 && shots <= MAX_SHOTS_OF_RUN && success_count <= shots && wall_seconds > 0,
    )
  if (!isUsable) return null
  const estimate = pooledTimeToSolution(runs)
  const upper = bootstrapUpperBound(runs, { key, runs: runs.map(({ run_id }) => run_id) })
  const finite = (seconds: number) => (Number.isFinite(seconds) ? significant(seconds) : null)
  return { quantum_seconds: finite(estimate), quantum_upper_seconds: finite(upper), classical_seconds: classical }
}

function speedRule(times: ReturnType<typeof timesOf>, classical: number | null): Rule {
  if (times === null) return notEvaluable('QUG-010', 'shots, successes or times of the observations are not usable')
  if (classical === null) return notEvaluable('QUG-010', 'the baseline was not run, so its time is not known')
  const upper = times.quantum_upper_seconds
  return rule(
    'QUG-010',
    upper !== null && upper < classical,
    `time to solution is at most ${upper} s against ${classical} s`,
    upper === null
      ? 'time to solution has no upper bound'
      : `time to solution may be ${upper} s; the baseline took ${classical} s`,
  )
}

function ageRule({ quantum_observations, provenance, environment }: ClaimInput): Rule {
  const now = Date.parse(environment.evaluated_at)
  const times = [...quantum_observations, ...provenance].map(({ observed_at }) => observed_at)
  if (times.length === 0) return notEvaluable('QUG-011', 'no time is stated')
  const isGood = (time: number) => time <= now && now - time <= MAX_AGE_MS
  const bad = times.find((text) => !isGood(timeOf(text)))
  return rule(
    'QUG-011',
    bad === undefined,
    'every time lies within 365 days',
    `${JSON.stringify(bad?.slice(0, 40))} is in the future, older than 365 days or no time`,
  )
}

const ledgerRule = ({ environment }: ClaimInput): Rule =>
  rule(
    'QUG-012',
    environment.ledger_found,
    'the baseline receipt was recorded in this ledger',
    'the baseline receipt was not recorded in this ledger for this caller; examples are not counted',
  )
