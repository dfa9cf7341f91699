/** What each candidate would be worth, and how sure that is. */
import type { Fraction } from '../../../domain/exact-number.ts'
import { type Fault, fault, repeated } from '../faults.ts'
import type { ScoreBody, ScoreInput } from '../schemas.ts'
import { breakEven, dispositionOf, INPUTS, intervalOf, type Judged, judge, weakest } from './candidate.ts'
import { compare, dollars, fractionOf, minus } from './money.ts'
import { DRAWS, simulate } from './simulation.ts'

export function scoreFaults({ baseline_candidate_id, candidates }: ScoreBody): Fault[] {
  const ids = candidates.map(({ candidate_id }) => candidate_id)
  return [
    ...repeated(ids, (at) => ['candidates', at, 'candidate_id']),
    ...(ids.includes(baseline_candidate_id)
      ? []
      : [fault(['baseline_candidate_id'], 'no candidate has this candidate_id')]),
    ...candidates.flatMap(({ inputs }, at) =>
      INPUTS.flatMap((name) => inputFaults(inputs[name], ['candidates', at, 'inputs', name])),
    ),
  ]
}

function inputFaults(
  { value, basis, low, high }: ScoreBody['candidates'][number]['inputs'][(typeof INPUTS)[number]],
  place: (string | number)[],
): Fault[] {
  if ((value === null) !== (basis === 'UNKNOWN'))
    return [fault([...place, 'basis'], 'UNKNOWN is the basis of null, and of nothing else')]
  if (value === null)
    return low === undefined && high === undefined
      ? []
      : [fault([...place, 'value'], 'an interval needs a value between its ends')]
  const isBelow = low !== undefined && compare(fractionOf(low), fractionOf(value)) > 0
  const isAbove = high !== undefined && compare(fractionOf(high), fractionOf(value)) < 0
  return [
    ...(isBelow ? [fault([...place, 'low'], 'must be at most value')] : []),
    ...(isAbove ? [fault([...place, 'high'], 'must be at least value')] : []),
  ]
}

const VALUE_RULE =
  'margin = bounded_value_usd * estimated_accuracy - compute - queue - energy - verification - operational risk cost'

export function scoreCandidates({ environment, ...body }: ScoreInput) {
  const receipted = new Set(environment.receipts_found)
  const judged = body.candidates.map((candidate) => judge(candidate, receipted))
  const margins = judged.flatMap(({ margin }) => margin ?? [])
  const best = margins.reduce<Fraction | null>((a, b) => (a === null || compare(b, a) > 0 ? b : a), null)
  const baseline = judged.find(({ candidate }) => candidate.candidate_id === body.baseline_candidate_id)!.margin
  const simulated = simulate(judged, body)
  const difference = (a: Fraction | null, b: Fraction | null) =>
    a === null || b === null ? null : dollars(minus(a, b))
  return {
    workload_digest: body.workload_digest,
    baseline_candidate_id: body.baseline_candidate_id,
    value_rule: VALUE_RULE,
    candidates: judged.map((one) => ({
      candidate_id: one.candidate.candidate_id,
      backend_id: one.candidate.backend_id,
      compile_plan_id: one.candidate.compile_plan_id,
      margin: one.margin && dollars(one.margin),
      interval: one.ranges && endsOf(intervalOf(one.ranges)),
      basis: weakest(one.bases),
      input_bases: one.bases,
      unknown_inputs: one.unknown,
      disposition: dispositionOf(one),
      break_even: breakEven(one),
      contrast_to_baseline: difference(one.margin, baseline),
      regret: difference(best, one.margin),
    })),
    compared: {
      among: 'CANDIDATES_WITHOUT_UNKNOWN_INPUTS' as const,
      left_out: judged.flatMap(({ candidate, margin }) => (margin === null ? [candidate.candidate_id] : [])),
    },
    pareto_front: paretoFront(judged),
    p_best: simulated?.p_best ?? null,
    value_of_information: [
      ...(simulated?.worth ?? []).map(({ worth, ...named }) => ({ ...named, expected_gain_usd: worth, reason: null })),
      ...judged.flatMap(({ candidate: { candidate_id }, unknown }) =>
        unknown.map((input) => ({ candidate_id, input, expected_gain_usd: null, reason: NO_INTERVAL })),
      ),
    ],
    simulation: simulated && {
      draws: DRAWS,
      distribution: 'triangular, independent' as const,
      label: 'SIMULATED' as const,
    },
  }
}

const NO_INTERVAL = 'nothing is stated about it, so what it would be worth to know cannot be computed'

const endsOf = ({ low, high }: { low: Fraction; high: Fraction }) => ({ low: dollars(low), high: dollars(high) })

/** Candidates that no other one beats in margin or accuracy without being beaten in the other. */
function paretoFront(judged: readonly Judged[]): string[] {
  const known = judged.flatMap(({ candidate, margin, ranges }) =>
    margin === null || ranges === null
      ? []
      : [{ id: candidate.candidate_id, margin, accuracy: ranges.estimated_accuracy.value }],
  )
  return known
    .filter(
      (one) =>
        !known.some((other) => {
          const [m, a] = [compare(other.margin, one.margin), compare(other.accuracy, one.accuracy)]
          return m >= 0 && a >= 0 && m + a > 0
        }),
    )
    .map(({ id }) => id)
}
