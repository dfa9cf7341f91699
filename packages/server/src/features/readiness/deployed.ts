/** What the deployment says of itself, from its own public records. They may come over the network from whoever answers
 *  at our address, so every value is checked before it is shown or compared. */
import type { DeploymentReadings, Stored } from '../readings/contract.ts'

export interface Said extends Omit<OwnRecord, 'value' | 'bytes_sha256'> {
  value: string | null
  /** Why the record it would stand in could not be read, or that its sources disagree; null where neither is so. */
  reason: string | null
}

type OwnRecord = Stored<Record<string, unknown>>

const MAX = 128

/** Unknown is said with a word where a record must hold a string. */
export function said({ value, bytes_sha256: _, ...look }: OwnRecord, ...path: string[]): Said {
  const found = path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? at[name as never] : null),
    value,
  )
  const fits = typeof found === 'string' && found !== '' && found !== 'unknown' && !/\p{Cc}/u.test(found)
  return { value: fits ? [...found].slice(0, MAX).join('') : null, ...look }
}

const COMMIT = /^(?!0{40})[0-9a-f]{40}$/
const commit = (from: Said): Said => (from.value !== null && COMMIT.test(from.value) ? from : { ...from, value: null })

/** The word of the version record where the sources of the build disagree about a field: its value is one of several. */
export const CONTESTED = 'CONFLICT'

export type Deployed = ReturnType<typeof readDeployed>

export function readDeployed({ healthz, version }: Pick<DeploymentReadings, 'healthz' | 'version'>) {
  const versionSha = commit(said(version, 'git_sha'))
  const isContested = said(version, 'sources', `git_sha.${CONTESTED}`).value !== null
  return {
    organ: said(healthz, 'organ'),
    status: said(healthz, 'status'),
    doctrine: said(healthz, 'doctrine'),
    lock: said(healthz, 'lock'),
    healthzCommit: said(healthz, 'commit'),
    /** Both records name the build; the version record is the one made for it. */
    sha: {
      ...(versionSha.value === null ? commit(said(healthz, 'git_sha')) : versionSha),
      ...(isContested ? { reason: CONTESTED } : {}),
    },
    version: said(version, 'version'),
    buildTime: said(version, 'build_time'),
    kernelCommit: said(version, 'kernel_commit'),
    checks: said(version, 'p6_status'),
    checksScore: said(version, 'p6_grader_score'),
    release: said(version, 'release_state'),
    /** The commit this deployment was configured as. What the record read back from the space itself is a reading of the
     *  same space: comparing the two would always match. */
    spaceSha: commit(said(version, 'hosted_space_sha_readback', 'configured_env')),
  }
}
