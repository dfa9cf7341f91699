// The six rules of the chain-of-title policy. A rule holds when the statement says exactly what the pin asks for; an
// absent, mistyped or merely truthy value is a rule that does not hold, and so is one that the statement's own parts
// contradict.
import { DOCTRINE, KERNEL_COMMIT } from '../doctrine.ts'
import { fieldsOf } from './shape.ts'
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

/** Every subject, so that a second one cannot ride along under the first one's commit. */
const bindsCommit = (subjects: unknown, commit: string): boolean =>
  Array.isArray(subjects) &&
  subjects.length > 0 &&
  subjects.every((subject) => fieldsOf(fieldsOf(subject).digest).gitCommit === commit)

// How much of the provenance a statement discloses, computed from its own fields and their reasons. The writer and every
// reader use this one rule: what the statement says of its coverage is compared with it and never believed.
export const TRAINING_CONFIG_FIELDS = Object.freeze([
  'base_model',
  'lora_r',
  'lora_alpha',
  'lora_dropout',
  'per_device_batch',
  'grad_accum',
  'max_seq_len',
  'epochs',
  'learning_rate',
  'seed',
] as const)

export const COVERAGE_RULE =
  'disclosed fields / expected fields; a field is disclosed when it holds a value read for this request or is null beside a stated reason'

/** Takes anything: a field that is absent, or null without a reason, is undisclosed. Rounded to six decimals. */
export function coverageOf(provenance: unknown): number {
  const stated = fieldsOf(provenance)
  const training = fieldsOf(stated.training)
  const config = fieldsOf(training.config)
  const [build, weights] = [fieldsOf(stated.build_commit), fieldsOf(stated.sovereign_weights)]
  const expected: [value: unknown, reason: unknown][] = [
    [stated.corpus_sha, fieldsOf(stated.corpus_source).note],
    [training.source, training.note],
    [training.source_sha256, training.note],
    [training.method, training.note],
    ...TRAINING_CONFIG_FIELDS.map((name): [unknown, unknown] => [config[name], training.note]),
    [stated.kernel_verified, fieldsOf(stated.kernel_verification).reason],
    [stated.kernel_pin, ''],
    [build.commit, build.note],
    [weights.sha256, weights.note],
    [weights.bytes, weights.note],
  ]
  const disclosed = expected.filter(([value, reason]) => isDisclosed(value, reason))
  return Math.round((disclosed.length / expected.length) * 1e6) / 1e6
}

const isDisclosed = (value: unknown, reason: unknown): boolean =>
  value === null ? typeof reason === 'string' && reason.trim() !== '' : value !== undefined
