/** Everything a chain-of-title statement rests on: the files and checks are read once for all who ask within a moment, the
 *  meters and the external log for each request, since a label speaks of them. */

import {
  COVERAGE_RULE,
  coverageOf,
  cutText,
  KERNEL_COMMIT,
  type KernelVerification,
  measured,
  type Reading,
  TRAINING_CONFIG_FIELDS,
} from '@orch/core'
import { type FormulaRun, verifiedKernel } from '../../domain/formulas.ts'
import { isRecord, parseJson } from '../../domain/stored-receipt.ts'
import type { Anchoring, ArtifactAbsent, ArtifactDigest, EnergyMeters, MeterReading, Ports } from '../../ports.ts'
import { buildStatement } from './statement.ts'
import { anchorLabel } from './verification.ts'

export type TitleSources = {
  /** What the files and the checks say, and when they were read. */
  provenance: () => Promise<ReadProvenance>
  meters: EnergyMeters
  anchoring: Anchoring
}

interface ReadProvenance {
  provenance: Provenance
  policy: ArtifactDigest | ArtifactAbsent
  readAt: string
}

/** Reads the weights of a model through. */
export async function readProvenance(
  { artifacts, formulaRun, build }: Pick<Ports, 'artifacts' | 'build'> & { formulaRun: () => Promise<FormulaRun> },
  readAt: string,
): Promise<ReadProvenance> {
  const [registry, training, corpus, weights, policy] = await Promise.all([
    artifacts.text('formula-registry'),
    artifacts.text('m1-training'),
    artifacts.digest('m1-corpus'),
    artifacts.digest('m1-weights'),
    artifacts.digest('chain-of-title-policy'),
  ])
  const provenance = discloseProvenance({
    corpus,
    training,
    weights,
    kernel: verifiedKernel(registry, await formulaRun()),
    build: { commit: build.gitSha.value, source: build.gitSha.source },
  })
  return { provenance, policy, readAt }
}

/** The statement is dated by the oldest of what it rests on. */
export async function readTitle({ provenance: read, meters, anchoring }: TitleSources, signal: AbortSignal) {
  const { provenance, policy, readAt: builtAt } = await read()
  const [answers, anchor] = await Promise.all([meters.read(), anchoring.read(signal)])
  const energy = discloseEnergy(meters.configured, answers)
  const statement = buildStatement({ provenance, energy, label: anchorLabel(anchor), builtAt })
  return { statement, anchor, policy, builtAt }
}

const METER_ENV = 'ORCH_ENERGY_METERS'

export function discloseEnergy(configured: number, answers: readonly MeterReading[]) {
  const entries = answers.flatMap((answer) => ('reading' in answer ? [entryOf(answer.meter, answer.reading)] : []))
  const errors = answers.flatMap((answer) => ('error' in answer ? [`${answer.meter}: ${answer.error}`] : []))
  return {
    energy_measured: entries,
    energy_disclosure: {
      meters_configured: configured,
      meter_env: METER_ENV,
      label: entries.length > 0 ? ('MEASURED' as const) : ('UNAVAILABLE' as const),
      note: meterNote(configured, entries.length),
      errors,
    },
  }
}
export type Energy = ReturnType<typeof discloseEnergy>

function entryOf(meter: string, reading: Reading<{ joules: number; at: string }>) {
  const { label, value, source, read_at } = measured(reading)
  return { meter, joules: value.joules, at: value.at, label, source, read_at }
}

function meterNote(configured: number, answered: number): string {
  if (configured === 0) return 'no meter is configured, so nothing is known of the energy used'
  if (answered === 0) return 'no meter answered with a reading in this request'
  return `${answered} of ${configured} meters answered in this request; the readings are theirs and bound to no receipt`
}

type FileText = ArtifactDigest & { text: string }

interface ProvenanceReadings {
  corpus: ArtifactDigest | ArtifactAbsent
  training: FileText | ArtifactAbsent
  weights: ArtifactDigest | ArtifactAbsent
  kernel: KernelVerification
  build: { commit: string | null; source: string }
}

type TrainingConfig = Record<(typeof TRAINING_CONFIG_FIELDS)[number], string | number | null>

/** Where the weights come from, field by field: read for this statement, or null with the reason. */
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
      note: noteOf(readings.weights, 'hashed for this statement'),
    },
  }
}

const noteOf = (file: ArtifactDigest | ArtifactAbsent, read: string): string => (file.present ? read : file.reason)

function trainingOf(file: FileText | ArtifactAbsent) {
  const parsed = file.present ? parseJson(file.text) : null
  const receipt = isRecord(parsed) ? parsed : null
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
  if (typeof value === 'string') return value.isWellFormed() ? cutText(value, MAX_VALUE) : null
  if (typeof value !== 'number' || !Number.isFinite(value)) return null
  const isPortable = Number.isInteger(value) ? Number.isSafeInteger(value) : Math.abs(value) >= 1e-4
  return isPortable ? value + 0 : String(value)
}
