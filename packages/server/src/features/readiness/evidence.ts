/** The claims with what bears them out: our own file with its digest, read now, and the links outside as they were last
 *  found. */
import type { ArtifactAbsent, ArtifactDigest } from '../../ports.ts'
import type { Probe, Stored } from '../readings/contract.ts'
import { CLAIMS, type Claim, type ClaimId, type Maturity } from './claims.ts'
import { isReachable, livenessOf } from './sections.ts'

const HONEST =
  'A claim is as mature as its own line says; TESTED_IN_REPOSITORY means that tests of it lie in the repository, and last_test_run is their newest recorded run on this commit or null. Our files were digested for this reply. Links outside are looked at once a day and only where the operator switched that on; one that was not looked at is neither reachable nor unreachable.'

export type ArtifactState = ArtifactDigest | ArtifactAbsent

export interface EvidenceReadings {
  artifacts: ReadonlyMap<string, ArtifactState>
  link: (url: string) => Stored<Probe>
  liveEndpoint: (id: ClaimId) => string
  /** Whether something of this kind is served at all. */
  isMounted: (id: ClaimId) => boolean
  /** Whether what the claim says was really measured by this process. */
  isMeasured: (id: ClaimId) => boolean
  /** The newest recorded run of the tests on the very commit that runs here; null where none is recorded. */
  lastTestRun: TestRun | null
}

export interface TestRun {
  commit: string
  completed_at: string
  passed: string[]
}

export function researchOf(readings: EvidenceReadings) {
  const claims = CLAIMS.map((claim) => claimOf(claim, readings))
  return {
    layer: 'evidence',
    honest: HONEST,
    count: claims.length,
    sources_reachable: sum(claims.map(({ sources_reachable }) => sources_reachable)),
    sources_total: sum(claims.map(({ sources_total }) => sources_total)),
    claims,
  }
}

export function claimOf(claim: Claim, readings: EvidenceReadings) {
  const { id, tab, artifact } = claim
  const sources = claim.sources.map((source) => ({ ...source, liveness: linkLiveness(source.url, readings) }))
  return {
    id,
    claim: claim.claim,
    maturity: maturityOf(claim, readings),
    last_test_run: claim.maturity === 'TESTED_IN_REPOSITORY' ? readings.lastTestRun : null,
    tab,
    artifact: artifactOf(readings.artifacts.get(artifact)),
    sources,
    sources_reachable: sources.filter(({ liveness }) => liveness.reachable === true).length,
    sources_total: sources.length,
    live_endpoint: readings.liveEndpoint(id),
  }
}

/** What is claimed of operations that are not served is a plan, and what could be measured here is so only where it was. */
function maturityOf({ id, maturity, measurable }: Claim, { isMounted, isMeasured }: EvidenceReadings): Maturity {
  if (!isMounted(id)) return 'PLANNED'
  return measurable && isMeasured(id) ? 'MEASURED_HERE' : maturity
}

function linkLiveness(url: string, { link }: EvidenceReadings) {
  const probe = link(url)
  // Nobody looked: that is not a finding about the link.
  const looked = probe.value !== null || probe.last_error !== null
  return {
    ...livenessOf(url, probe),
    reachable: looked ? isReachable(probe) : null,
    http_status: probe.value?.http_status ?? null,
  }
}

const artifactOf = (state: ArtifactState | undefined) =>
  state?.present
    ? { path: state.path, present: true, bytes: state.bytes, sha256: state.sha256 }
    : { path: state?.path ?? null, present: false, bytes: null, sha256: null, reason: state?.reason ?? 'not listed' }

/** A run counts for the commit it was made on and for no other. */
export const testRunOf = (record: RecordedRun | null, commit: string | null): TestRun | null =>
  record === null || commit === null || record.gitSha !== commit
    ? null
    : { commit, completed_at: record.completedAt, passed: [...record.passed].sort() }

interface RecordedRun {
  gitSha: string
  completedAt: string
  passed: ReadonlySet<string>
}

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
