/** What this service claims about itself, how far each claim goes, and what outside of it supports it. A claim is never
 *  more mature than its row in claims.json says: what is a conjecture has no proof to point at. */
import Type, { type Static } from 'typebox'
import { words } from '../../domain/wire.ts'
import { closed, faultText, read } from '../../platform/shape.ts'
import type { ArtifactAbsent, ArtifactDigest, ArtifactName } from '../../ports.ts'
import type { Identity } from '../identity/contract.ts'
import type { Probe, Stored } from '../readings/contract.ts'
import document from './claims.json' with { type: 'json' }
import type { LiveClaim, Research } from './schemas.ts'
import { describeProbe, isReachable } from './sections.ts'

export const MATURITIES = [
  'TESTED_IN_REPOSITORY',
  'MEASURED_HERE',
  'PUBLISHED_STANDARD',
  'CONJECTURE',
  'PLANNED',
] as const
type Maturity = (typeof MATURITIES)[number]

export type ClaimId = keyof typeof document
export const CLAIM_IDS = Object.keys(document) as ClaimId[]

export const claimSource = {
  kind: words(['standard', 'paper', 'repository']),
  title: Type.String(),
  url: Type.String(),
  note: Type.String(),
}

const Row = closed({
  claim: Type.String(),
  /** What was measured here is found out by measuring and never by a row. */
  maturity: words(MATURITIES.filter((maturity) => maturity !== 'MEASURED_HERE')),
  /** A process that measured it says so in place of what the row says. */
  measurable: Type.Optional(Type.Literal(true)),
  /** Where the console shows it. */
  tab: Type.String(),
  /** The file of this build that stands for the claim. */
  artifact: Type.Unsafe<ArtifactName>(Type.String()),
  sources: Type.Array(closed(claimSource)),
})
type Claim = Static<typeof Row> & { id: ClaimId }

function readClaim(id: ClaimId): Claim {
  const row = read(Row, document[id], `claims.json: ${id}`)
  if (!row.ok) throw new Error(faultText(row.faults))
  return { id, ...row.value }
}

export const CLAIMS: readonly Claim[] = CLAIM_IDS.map(readClaim)

export const isClaimId = (id: string): id is ClaimId => (CLAIM_IDS as readonly string[]).includes(id)

export const claimWith = (id: ClaimId): Claim => CLAIMS.find((claim) => claim.id === id)!

/** Each once; what the background probes where the operator switched that on. */
export const evidenceLinks: readonly string[] = [
  ...new Set(CLAIMS.flatMap(({ sources }) => sources.map(({ url }) => url))),
]

const HONEST =
  'A claim is as mature as its own line says; TESTED_IN_REPOSITORY means that tests of it lie in the repository, and last_test_run is their newest recorded run on this commit or null. Our files were digested for this reply. Links outside are looked at once a day and only where the operator switched that on; one that was not looked at is neither reachable nor unreachable.'

type ArtifactState = ArtifactDigest | ArtifactAbsent

interface EvidenceReadings {
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

type ShownClaim = LiveClaim['claim']
type TestRun = NonNullable<ShownClaim['last_test_run']>

export function listClaims(readings: EvidenceReadings): Research {
  const claims = CLAIMS.map((claim) => describeClaim(claim, readings))
  return {
    layer: 'evidence',
    honest: HONEST,
    count: claims.length,
    sources_reachable: sum(claims.map(({ sources_reachable }) => sources_reachable)),
    sources_total: sum(claims.map(({ sources_total }) => sources_total)),
    claims,
  }
}

export function describeClaim(claim: Claim, readings: EvidenceReadings): ShownClaim {
  const { id, tab, artifact } = claim
  const sources = claim.sources.map((source) => ({ ...source, liveness: linkLiveness(source.url, readings) }))
  return {
    id,
    claim: claim.claim,
    maturity: judgeMaturity(claim, readings),
    last_test_run: claim.maturity === 'TESTED_IN_REPOSITORY' ? readings.lastTestRun : null,
    tab,
    artifact: describeArtifact(readings.artifacts.get(artifact)),
    sources,
    sources_reachable: sources.filter(({ liveness }) => liveness.reachable === true).length,
    sources_total: sources.length,
    live_endpoint: readings.liveEndpoint(id),
  }
}

/** What is claimed of operations that are not served is a plan, and what could be measured here is so only where it was. */
function judgeMaturity({ id, maturity, measurable }: Claim, { isMounted, isMeasured }: EvidenceReadings): Maturity {
  if (!isMounted(id)) return 'PLANNED'
  return measurable && isMeasured(id) ? 'MEASURED_HERE' : maturity
}

function linkLiveness(url: string, { link }: EvidenceReadings) {
  const probe = link(url)
  // A link that was never looked at is no finding about it.
  const looked = probe.value !== null || probe.last_error !== null
  return {
    ...describeProbe(url, probe),
    reachable: looked ? isReachable(probe) : null,
    http_status: probe.value?.http_status ?? null,
  }
}

const describeArtifact = (state: ArtifactState | undefined): ShownClaim['artifact'] =>
  state?.present
    ? { path: state.path, present: true, bytes: state.bytes, sha256: state.sha256 }
    : { path: state?.path ?? null, present: false, bytes: null, sha256: null, reason: state?.reason ?? 'not listed' }

/** A run counts for the commit it was made on and for no other. */
export const findTestRun = (record: Identity['checks']['record'], commit: string | null): TestRun | null =>
  record === null || commit === null || record.gitSha !== commit
    ? null
    : { commit, completed_at: record.completedAt, passed: [...record.passed].sort() }

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0)
