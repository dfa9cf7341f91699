/** The version record: which build runs, where it comes from, and who says so. */
import { BUILD_VERSION, DOCTRINE, KERNEL_COMMIT, LAMBDA, LOCKED_FORMULAS } from '@orch/core'
import type { BuildFacts, Fact } from '../../ports.ts'
import type { SpaceReading } from '../readings/contract.ts'
import type { Identity, ReleaseAsset } from './contract.ts'
import { doiUrl, type IdentityFacts, isContested, orUnknown, UNKNOWN } from './facts.ts'
import { type Assembled, assessHonesty } from './honesty.ts'
import type { VersionRecord } from './schemas.ts'
import { listCapabilities, type SurfaceLabels } from './surface-labels.ts'

/** Paths below the canonical address that the record leads to. */
interface VersionLinks {
  honest: string
  changelog: string
}

export function buildVersionRecord(
  facts: IdentityFacts,
  mounted: readonly SurfaceLabels[],
  links: VersionLinks,
): VersionRecord {
  const { build, identity, space, now } = facts
  const release = describeRelease(build, identity)
  const checks = describeChecks(build, identity.checks)
  const hosted = describeSpace(space, identity.spaceSha)
  const canonical = identity.canonical()
  const at = (path: string): string => `${canonical.value ?? ''}${path}`
  const record: Assembled = {
    name: 'orch',
    version: BUILD_VERSION,
    expected_release_tag: EXPECTED_TAG,
    release_state: release.state,
    release_tag: release.tag,
    release_url: release.url,
    surfaces: {
      canonical: orUnknown(canonical),
      registry: orUnknown(identity.registryUrl),
      legacy_alias: orUnknown(identity.legacyAliasUrl),
      legacy_alias_policy: 'SEPARATE_REGISTRY_ORIGIN',
      repository: orUnknown(identity.repositoryUrl),
    },
    doi: describeDois(identity),
    git_sha: orUnknown(build.gitSha),
    hosted_space_sha: hosted.sha ?? UNKNOWN,
    hosted_space_sha_readback: hosted,
    build_time: orUnknown(build.buildTime),
    doctrine: DOCTRINE,
    kernel_commit: KERNEL_COMMIT,
    p6_status: checks.status,
    p6_grader_score: checks.score,
    verify: {
      release_assets_status: release.assets.status,
      cosign: release.assets.cosign,
      sbom: release.assets.sbom,
      honest: at(links.honest),
    },
    changelog: changelogUrl(facts) ?? at(links.changelog),
    capabilities: listCapabilities(mounted, identity.merges),
    lambda: `${LAMBDA.status} (not a theorem; ceiling ${LAMBDA.trust_ceiling})`,
    locked_8: LOCKED_FORMULAS.length,
    sources: fieldSources(facts, { release_state: release.source, p6_status: checks.source }),
    readings: { hosted_space: { mode: space.mode, fetched_at: space.fetched_at, age_seconds: space.age_seconds } },
    ts: now,
  }
  return { ...record, honesty: assessHonesty(record) }
}

function changelogUrl({ build, identity }: IdentityFacts): string | null {
  const repository = identity.repositoryUrl.value
  return repository === null ? null : `${repository}/blob/${build.gitSha.value ?? 'main'}/CHANGELOG.md`
}

/** By field, a dotted path where it lies deeper. `doctrine` is the module of constants. */
function fieldSources(
  { build, identity, space }: IdentityFacts,
  derived: { release_state: string; p6_status: string },
): Record<string, string> {
  return {
    version: build.version.value === BUILD_VERSION ? build.version.source : 'doctrine',
    ...conflictSources(build),
    ...derived,
    release_tag: derived.release_state,
    p6_grader_score: derived.p6_status,
    git_sha: build.gitSha.source,
    observed_commit: build.observedCommit.source,
    build_time: build.buildTime.source,
    'surfaces.canonical': identity.canonical().source,
    'surfaces.registry': identity.registryUrl.source,
    'surfaces.legacy_alias': identity.legacyAliasUrl.source,
    'surfaces.repository': identity.repositoryUrl.source,
    'doi.concept': identity.doi.concept.source,
    'doi.formal_artifacts': identity.doi.formal.source,
    'doi.software_version': identity.doi.software.source,
    hosted_space_sha: space.sha === null ? 'none' : 'reading:hosted_space',
    'hosted_space_sha_readback.configured_env': identity.spaceSha.source,
    'capabilities.prs': identity.merges.length === 0 ? 'none' : 'build-record.json',
    doctrine: 'doctrine',
    kernel_commit: 'doctrine',
    lambda: 'doctrine',
    locked_8: 'doctrine',
  }
}

/** A value that sources disagree about is the one of the first source: all sources that were asked are listed with it. */
const conflictSources = ({ conflicts }: IdentityFacts['build']): Record<string, string> =>
  Object.fromEntries(
    conflicts.map(({ field, state, values }) => [`${field}.${state}`, values.map(({ source }) => source).join(', ')]),
  )

/** The hosted space as the background last read it. What the operator configured never stands in for the reading. */
const describeSpace = (space: SpaceReading, configured: Fact): VersionRecord['hosted_space_sha_readback'] => ({
  sha: space.sha,
  status: space.name === null ? 'NOT_CONFIGURED' : space.sha === null ? 'UNREACHABLE' : 'OBSERVED',
  source: space.source,
  space: space.name,
  configured_env: configured.value,
  env_matches_live: space.sha !== null && configured.value === space.sha,
  mode: space.mode,
  age_seconds: space.age_seconds,
})

/** Identifiers of archives. None is made up here: a value is the operator's, or there is none. */
function describeDois({ doi, readback }: Pick<Identity, 'doi' | 'readback'>): VersionRecord['doi'] {
  const entry = ({ value }: Fact) => ({ value, url: value === null ? null : doiUrl(value) })
  const software = doi.software.value
  const found = software !== null && readback?.doi?.value === software ? readback.doi : null
  return {
    concept: { ...entry(doi.concept), role: 'ASSOCIATED_RESEARCH_PROGRAM' },
    formal_artifacts: { ...entry(doi.formal), role: 'FORMAL_ARTIFACT_RECORD' },
    software_version: {
      ...entry(doi.software),
      status: software === null ? 'PENDING_ARCHIVE_READBACK' : found === null ? 'CONFIGURED_UNVERIFIED' : 'VERIFIED',
      readback: found === null ? null : { doi: found.value, read_at: found.readAt },
    },
  }
}

const EXPECTED_TAG = `v${BUILD_VERSION}`

const ASSETS_STATUS = {
  VERIFIED: 'VERIFIED',
  CONFIGURED_UNVERIFIED: 'CONFIGURED_UNVERIFIED',
  CANDIDATE: 'PENDING_RELEASE',
} as const

function describeRelease(build: BuildFacts, identity: Identity) {
  const { readback, releaseTag, repositoryUrl } = identity
  const isReadBack = matchesReadback(build, readback)
  const isConfigured = releaseTag.value === EXPECTED_TAG
  const state: VersionRecord['release_state'] = isReadBack
    ? 'VERIFIED'
    : isConfigured
      ? 'CONFIGURED_UNVERIFIED'
      : 'CANDIDATE'
  const tag = state === 'CANDIDATE' ? null : EXPECTED_TAG
  const asset = (kind: ReleaseAsset['kind']): string | null =>
    isReadBack ? (readback?.assets.find((one) => one.kind === kind)?.url ?? null) : null
  return {
    state,
    source: isReadBack ? 'release-readback.json' : isConfigured ? releaseTag.source : 'none',
    tag,
    url: releaseUrl(repositoryUrl.value, tag),
    assets: { status: ASSETS_STATUS[state], cosign: asset('signature'), sbom: asset('sbom') },
  }
}

/** A release whose version, tag or commit differ is another release. */
function matchesReadback(build: BuildFacts, readback: Identity['readback']): boolean {
  if (readback === null || !isTheCommit(build)) return false
  const { version, tag, commit, assets } = readback
  return version === BUILD_VERSION && tag === EXPECTED_TAG && commit === build.gitSha.value && assets.length > 0
}

const releaseUrl = (repository: string | null, tag: string | null): string => {
  if (repository === null) return UNKNOWN
  return tag === null ? `${repository}/releases` : `${repository}/releases/tag/${tag}`
}

/** Whether what runs is the commit it names. An operator's word for the commit is no sight of it; a dirty tree, sources
 *  that disagree and files that differ from the record of the build are something else than the commit. */
const isTheCommit = (build: BuildFacts): boolean =>
  build.gitSha.value !== null &&
  build.observedCommit.value === build.gitSha.value &&
  build.workingTree.value === 'CLEAN' &&
  build.matchesRecord !== false &&
  !isContested(build, 'git_sha', 'working_tree')

/** The checks count for the commit they ran on, and sign off the very files of it. */
function describeChecks(build: BuildFacts, { declared, record }: Identity['checks']) {
  const counts = record !== null && record.gitSha === build.gitSha.value && !isContested(build, 'git_sha')
  const passed = counts ? declared.filter((name) => record.passed.has(name)).length : 0
  const isSame = counts && record.workingTree === 'CLEAN' && isTheCommit(build)
  return {
    status: isSame && passed === declared.length ? 'SIGNED_OFF' : 'NOT_SIGNED_OFF',
    score: `${passed} / ${declared.length}`.replaceAll(' ', ''),
    source: counts ? 'release-checks.json' : 'none',
  } as const
}
