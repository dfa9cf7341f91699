/** The three questions the version record answers about itself. They are put to the finished record, not to what it was
 *  made of: a mistake in the making shows. */
import { LAMBDA, LAMBDA_FORMULA, LOCKED_FORMULAS } from '@orch/core'
import { doiUrl, UNKNOWN } from './facts.ts'
import type { VersionRecord } from './schemas.ts'

export type Assembled = Omit<VersionRecord, 'honesty'>

export const assessHonesty = (record: Assembled): VersionRecord['honesty'] => ({
  configured_is_operational: showsConfiguredAsObserved(record),
  conjecture_promoted: promotesConjecture(record),
  doi_invented: inventsDoi(record),
})

const showsConfiguredAsObserved = (record: Assembled): boolean =>
  showsUnreadSpace(record) || showsUnreadRelease(record) || showsUnreadArchive(record) || showsUncheckedCommit(record)

function showsUnreadSpace({ hosted_space_sha: shown, hosted_space_sha_readback: space, readings }: Assembled): boolean {
  const isRead = readings.hosted_space.mode !== 'unreachable' && readings.hosted_space.fetched_at !== null
  if (space.mode !== readings.hosted_space.mode || shown !== (space.sha ?? UNKNOWN)) return true
  if ((space.status === 'OBSERVED') !== (space.sha !== null) || (space.sha !== null && !isRead)) return true
  return space.env_matches_live && (space.sha === null || space.sha !== space.configured_env)
}

function showsUnreadRelease({ release_state: state, release_tag: tag, verify, sources }: Assembled): boolean {
  const isRead = sources.release_state === 'release-readback.json'
  const shows = verify.cosign !== null || verify.sbom !== null || verify.release_assets_status === 'VERIFIED'
  if (tag !== null && sources.release_state === 'none') return true
  return (state === 'VERIFIED' || shows) && !(isRead && isSeen(sources))
}

/** Somebody saw the commit: a record of the build or the checkout itself, not a setting alone. */
const isSeen = ({ observed_commit: source }: Assembled['sources']): boolean =>
  source !== undefined && source !== 'none' && !source.startsWith('env:')

const showsUnreadArchive = ({ doi: { software_version: software } }: Assembled): boolean =>
  software.status === 'VERIFIED' && (software.readback === null || software.readback.doi !== software.value)

const showsUncheckedCommit = ({ p6_status: status, git_sha: commit, sources }: Assembled): boolean =>
  status === 'SIGNED_OFF' && (commit === UNKNOWN || sources.p6_status !== 'release-checks.json' || !isSeen(sources))

const promotesConjecture = ({ lambda, locked_8: locked }: Assembled): boolean =>
  !/^Conjecture 1 \(not a theorem;/.test(lambda) ||
  LAMBDA.is_theorem ||
  locked !== LOCKED_FORMULAS.length ||
  (LOCKED_FORMULAS as readonly string[]).includes(LAMBDA_FORMULA)

const inventsDoi = ({ doi, sources }: Assembled): boolean =>
  (['concept', 'formal_artifacts', 'software_version'] as const).some((name) => {
    const { value, url } = doi[name]
    if (value === null) return url !== null
    return !sources[`doi.${name}`]?.startsWith('env:') || url !== doiUrl(value)
  })
