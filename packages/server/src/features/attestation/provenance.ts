/** Where the weights come from, field by field: read for this request, or null with the reason. */
import { COVERAGE_RULE, coverageOf, KERNEL_COMMIT, type KernelVerification, TRAINING_CONFIG_FIELDS } from '@orch/core'
import { isRecord } from '../../domain/stored-receipt.ts'
import type { ArtifactAbsent, ArtifactDigest } from '../../ports.ts'

type FileText = ArtifactDigest & { text: string }

export interface ProvenanceReadings {
  corpus: ArtifactDigest | ArtifactAbsent
  training: FileText | ArtifactAbsent
  weights: ArtifactDigest | ArtifactAbsent
  kernel: KernelVerification
  build: { commit: string | null; source: string }
}

type TrainingConfig = Record<(typeof TRAINING_CONFIG_FIELDS)[number], string | number | null>

export function discloseProvenance(readings: ProvenanceReadings) {
  const stated = statedBy(readings)
  return { ...stated, provenance_coverage: coverageOf(stated), coverage_rule: COVERAGE_RULE }
}
export type Provenance = ReturnType<typeof discloseProvenance>

function statedBy(readings: ProvenanceReadings) {
  const { kernel, build } = readings
  return {
    corpus_sha: readings.corpus.present ? readings.corpus.sha256 : null,
    corpus_source: {
      path: readings.corpus.path,
      kind: 'corpus-manifest' as const,
      note: noteOf(readings.corpus, 'SHA-256 of the manifest, which lists every file of the corpus'),
    },
    training: trainingOf(readings.training),
    kernel_verified: kernel.verified,
    kernel_pin: KERNEL_COMMIT,
    kernel_verification: kernel,
    build_commit: {
      commit: build.commit,
      source: build.source,
      note: build.commit === null ? 'no source of this build knows its commit' : `as stated by ${build.source}`,
    },
    sovereign_weights: {
      sha256: readings.weights.present ? readings.weights.sha256 : null,
      path: readings.weights.path,
      bytes: readings.weights.present ? readings.weights.bytes : null,
      present: readings.weights.present,
      note: noteOf(readings.weights, 'hashed for this request'),
    },
  }
}

const noteOf = (file: ArtifactDigest | ArtifactAbsent, read: string): string => (file.present ? read : file.reason)

function trainingOf(file: FileText | ArtifactAbsent) {
  const receipt = file.present ? fieldsOf(file.text) : null
  return {
    source: file.present ? file.path : null,
    source_sha256: file.present ? file.sha256 : null,
    method: plain(receipt?.method),
    config: configOf(receipt),
    note: trainingNote(file, receipt),
  }
}

function trainingNote(file: FileText | ArtifactAbsent, receipt: Record<string, unknown> | null): string {
  if (!file.present) return file.reason
  if (receipt === null) return 'the training receipt is not a JSON object, so nothing was taken from it'
  return 'taken from the training receipt; a field that is null is not stated there'
}

/** The receipt is a file of the build: whoever made it chose its content, and only plain values are taken over. */
function configOf(receipt: Record<string, unknown> | null): TrainingConfig {
  const config = isRecord(receipt?.config) ? receipt.config : (receipt ?? {})
  const pairs = TRAINING_CONFIG_FIELDS.map((name) => [name, Object.hasOwn(config, name) ? plain(config[name]) : null])
  return Object.fromEntries(pairs) as TrainingConfig
}

const MAX_VALUE = 256
/** A number that other languages would print with an exponent is written out as text, since the statement is hashed. */
function plain(value: unknown): string | number | null {
  if (typeof value === 'string') return value.isWellFormed() ? value.slice(0, MAX_VALUE) : null
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  const isPortable = Number.isInteger(value) ? Number.isSafeInteger(value) : Math.abs(value) >= 1e-4
  return isPortable ? value + 0 : String(value)
}

function fieldsOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
