/** What can be said of a release of this build, and of the checks it was held to. */
import { BUILD_VERSION } from '@orch/core'
import type { BuildFacts } from '../../ports.ts'
import type { Identity, ReleaseAsset } from './contract.ts'
import { isContested, UNKNOWN } from './facts.ts'
import type { VersionRecord } from './schemas.ts'

export const EXPECTED_TAG = `v${BUILD_VERSION}`

const ASSETS_STATUS = {
  VERIFIED: 'VERIFIED',
  CONFIGURED_UNVERIFIED: 'CONFIGURED_UNVERIFIED',
  CANDIDATE: 'PENDING_RELEASE',
} as const

export function describeRelease(build: BuildFacts, identity: Identity) {
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
export function describeChecks(build: BuildFacts, { declared, record }: Identity['checks']) {
  const counts = record !== null && record.gitSha === build.gitSha.value && !isContested(build, 'git_sha')
  const passed = counts ? declared.filter((name) => record.passed.has(name)).length : 0
  const isSame = counts && record.workingTree === 'CLEAN' && isTheCommit(build)
  return {
    status: isSame && passed === declared.length ? 'SIGNED_OFF' : 'NOT_SIGNED_OFF',
    score: `${passed} / ${declared.length}`.replaceAll(' ', ''),
    source: counts ? 'release-checks.json' : 'none',
  } as const
}
