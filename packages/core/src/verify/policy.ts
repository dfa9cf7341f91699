// The six rules of the chain-of-title policy. A rule holds when the statement says exactly what the pin asks for; an
// absent, mistyped or merely truthy value is a rule that does not hold, and so is one that the statement's own parts
// contradict.
import { DOCTRINE, KERNEL_COMMIT } from '../doctrine.ts'
import { type Fields, isRecord } from './shape.ts'
import { coverageOf } from './title-coverage.ts'
import {
  claimsNoBuildLevel,
  kernelIsVerified,
  lambdaIsConjecture,
  measuresWhatItStates,
  statesTheEight,
} from './title-facts.ts'

export const POLICY_RULES = Object.freeze([
  'predicate_type_matches',
  'doctrine_is_v11',
  'kernel_verified',
  'honesty_invariants_all_true',
  'provenance_coverage_is_one',
  'subject_binds_kernel_commit',
] as const)
export type PolicyRule = (typeof POLICY_RULES)[number]

export type ChainOfTitlePin = { predicateType: string; doctrine: string; kernelCommit: string }
export type PolicyResult = { checks: Record<PolicyRule, boolean>; failed: PolicyRule[] }

export const CHAIN_OF_TITLE_PREDICATE = 'urn:orch:attest:chain-of-title:v1'

export const CHAIN_OF_TITLE_PIN: ChainOfTitlePin = Object.freeze({
  predicateType: CHAIN_OF_TITLE_PREDICATE,
  doctrine: DOCTRINE,
  kernelCommit: KERNEL_COMMIT,
})

const INVARIANTS = ['no_fabricated_measured', 'lambda_is_conjecture_not_theorem', 'locked8_immutable']

/** Takes anything: a value that is no statement fails every rule. The six come in the order of `POLICY_RULES`. */
export function chainOfTitlePolicy(statement: unknown, pin: ChainOfTitlePin): PolicyResult {
  const top = fieldsOf(statement)
  const predicate = fieldsOf(top.predicate)
  const provenance = fieldsOf(predicate.provenance)
  const invariants = fieldsOf(predicate.honesty_invariants)
  const checks: Record<PolicyRule, boolean> = {
    predicate_type_matches: top.predicateType === pin.predicateType,
    doctrine_is_v11: predicate.doctrine === pin.doctrine,
    kernel_verified: kernelIsVerified(provenance),
    honesty_invariants_all_true:
      INVARIANTS.every((name) => invariants[name] === true) &&
      lambdaIsConjecture(predicate) &&
      measuresWhatItStates(predicate) &&
      claimsNoBuildLevel(predicate) &&
      statesTheEight(top),
    provenance_coverage_is_one: provenance.provenance_coverage === 1 && coverageOf(provenance) === 1,
    subject_binds_kernel_commit: bindsCommit(top.subject, pin.kernelCommit),
  }
  return { checks, failed: POLICY_RULES.filter((rule) => !checks[rule]) }
}

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})

/** Every subject, so that a second one cannot ride along under the first one's commit. */
const bindsCommit = (subjects: unknown, commit: string): boolean =>
  Array.isArray(subjects) &&
  subjects.length > 0 &&
  subjects.every((subject) => fieldsOf(fieldsOf(subject).digest).gitCommit === commit)
