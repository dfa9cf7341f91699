/** The version record: which build runs, where it comes from, and who says so. */
import { BUILD_VERSION, DOCTRINE, KERNEL_COMMIT, LAMBDA, LOCKED_FORMULAS } from '@orch/core'
import { doiOf } from './doi.ts'
import { type IdentityFacts, orUnknown, UNKNOWN } from './facts.ts'
import { honestyOf } from './honesty.ts'
import { hostedSpaceOf } from './hosted-space.ts'
import { checksOf, EXPECTED_TAG, releaseOf } from './release.ts'
import { capabilitiesOf, type SurfaceLabels } from './surface-labels.ts'

/** Paths below the canonical address that the record leads to. */
export interface VersionLinks {
  honest: string
  changelog: string
}

export function versionOf(facts: IdentityFacts, mounted: readonly SurfaceLabels[], links: VersionLinks) {
  const { build, identity, space, now } = facts
  const release = releaseOf(build, identity)
  const checks = checksOf(build, identity.checks)
  const hosted = hostedSpaceOf(space, identity.spaceSha)
  const canonical = identity.canonical()
  const at = (path: string): string => `${canonical.value ?? ''}${path}`
  const record = {
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
    doi: doiOf(identity),
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
    changelog: changelogOf(facts) ?? at(links.changelog),
    capabilities: capabilitiesOf(mounted, identity.merges),
    lambda: `${LAMBDA.status} (not a theorem; ceiling ${LAMBDA.trust_ceiling})`,
    locked_8: LOCKED_FORMULAS.length,
    sources: sourcesOf(facts, { release_state: release.source, p6_status: checks.source }),
    readings: { hosted_space: { mode: space.mode, fetched_at: space.fetched_at, age_seconds: space.age_seconds } },
    ts: now,
  }
  return { ...record, honesty: honestyOf(record) }
}

function changelogOf({ build, identity }: IdentityFacts): string | null {
  const repository = identity.repositoryUrl.value
  return repository === null ? null : `${repository}/blob/${build.gitSha.value ?? 'main'}/CHANGELOG.md`
}

/** By field, a dotted path where it lies deeper. `doctrine` is the module of constants. */
function sourcesOf(
  { build, identity, space }: IdentityFacts,
  derived: { release_state: string; p6_status: string },
): Record<string, string> {
  return {
    version: build.version.value === BUILD_VERSION ? build.version.source : 'doctrine',
    ...conflictsOf(build),
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

/** A value that sources disagree about is the first one’s word: beside its source stand all who were asked. */
const conflictsOf = ({ conflicts }: IdentityFacts['build']): Record<string, string> =>
  Object.fromEntries(
    conflicts.map(({ field, state, values }) => [`${field}.${state}`, values.map(({ source }) => source).join(', ')]),
  )
