// How much of the provenance a statement discloses, computed from its own fields and their reasons. The writer and every
// reader use this one rule: what the statement says of its coverage is compared with it and never believed.
import { type Fields, isRecord } from './shape.ts'

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

const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {})

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
