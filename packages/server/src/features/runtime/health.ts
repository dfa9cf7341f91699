import { BUILD_VERSION, DOCTRINE, INTERFACE_VERSION, KERNEL_COMMIT, LOCK, SIGNING_SCHEME } from '@orch/core'
import type { BuildFacts, CatalogEntry, Fact, ReadinessReport, Runtime, SignerStatus } from '../../ports.ts'
import type { BuildInfo, Health, LivenessRecord, SignerState } from './schemas.ts'

/** One word for what the checks found: any blocking failure is failing, any other is degraded. */
function summarise(report: ReadinessReport): Pick<Health, 'status' | 'components'> {
  const states = Object.entries(report.components)
  const failed = states.filter(([, check]) => check.state !== 'OK')
  const status = failed.some(([, check]) => check.blocking)
    ? 'failing'
    : failed.length > 0 || report.draining
      ? 'degraded'
      : 'ok'
  return { status, components: Object.fromEntries(states.map(([name, check]) => [name, check.state])) }
}

export const healthRecord = (report: ReadinessReport, signer: SignerStatus) => ({
  ...summarise(report),
  service: 'orch' as const,
  version: BUILD_VERSION,
  interface_version: INTERFACE_VERSION,
  doctrine: DOCTRINE,
  kernel_commit: KERNEL_COMMIT,
  signer: signerRecord(signer),
})

export function livenessRecord(
  gitSha: string | null,
  state: SignerStatus,
  { rollup, pubkey }: { rollup: string; pubkey: string },
): LivenessRecord {
  const signer = signerRecord(state)
  const { status, signing_available, scheme } = signer
  const mint = 'POST /api/orch/khipu/sign'
  return {
    status: 'ok',
    organ: 'orch',
    doctrine: DOCTRINE,
    lock: LOCK,
    commit: KERNEL_COMMIT,
    git_sha: gitSha,
    scope: 'PROCESS_LIVENESS',
    capability_readiness_asserted: false,
    signer,
    dsse_live: { status, signing_available, scheme, mint, rollup, pubkey, public_key_fingerprint: state.fingerprint },
  }
}

export const signerRecord = (signer: SignerStatus): SignerState => ({
  status: signer.status,
  signing_available: signer.signingAvailable,
  scheme: SIGNING_SCHEME,
  key_kind: signer.keyKind,
  tested_at: signer.testedAt,
})

/** Where health points to, by the operations that answer there. */
const WANTED = {
  livez: ['runtime.livez'],
  readyz: ['runtime.readyz'],
  build: ['runtime.buildInfo'],
  version: ['identity.version'],
  metrics: ['runtime.metrics'],
  honest: ['identity.honest'],
  openapi: ['runtime.openapi'],
  // Where there is no reference to read, the description it would be made of.
  docs: ['docs.page', 'runtime.openapi'],
} as const

/** The paths come from the catalog of what is served, so a link cannot lead nowhere. */
export function healthLinks(catalog: readonly CatalogEntry[]): Record<string, string> {
  const byId = new Map(catalog.map(({ id, path }) => [id, path]))
  return Object.fromEntries(
    Object.entries(WANTED).flatMap(([name, ids]) => {
      const path = ids.map((id) => byId.get(id)).find((served) => served !== undefined)
      return path === undefined ? [] : [[name, path]]
    }),
  )
}

/** The build as it can be shown: every field with the kind of evidence there is for it. */
export function buildInfo(facts: BuildFacts, runtime: ReturnType<Runtime['versions']>): BuildInfo {
  const fields = {
    revision: facts.gitSha,
    version: facts.version,
    working_tree: facts.workingTree,
    build_time: facts.buildTime,
    build_digest: facts.buildDigest,
  }
  return {
    status: buildStatus(facts),
    service: 'orch',
    build: {
      revision: facts.gitSha.value,
      revision_source: facts.gitSha.source,
      version: facts.version.value,
      version_source: facts.version.source,
      working_tree: facts.workingTree.value ?? 'UNKNOWN',
      build_time: facts.buildTime.value,
      build_digest: facts.buildDigest.value,
      artifact_matches_record: facts.matchesRecord,
      conflicts: facts.conflicts,
      field_evidence: Object.fromEntries(Object.entries(fields).map(([name, fact]) => [name, evidenceFor(fact)])),
    },
    runtime,
    interface_version: INTERFACE_VERSION,
    receipt_minted: false,
  }
}

/** A revision that two sources disagree about, or that an operator wrote down and no source observed, is known only in part. */
function buildStatus({ gitSha, observedCommit, conflicts }: BuildFacts): BuildInfo['status'] {
  if (gitSha.value === null) return 'UNAVAILABLE'
  return conflicts.length > 0 || observedCommit.value === null ? 'PARTIAL' : 'OBSERVED'
}

/** What an operator wrote down is configured, not observed. */
const evidenceFor = (fact: Fact): 'OBSERVED' | 'CONFIGURED' | 'UNKNOWN' =>
  fact.value === null ? 'UNKNOWN' : fact.source.startsWith('env:') ? 'CONFIGURED' : 'OBSERVED'
