/** What this process can say of its own origin. All of it is gathered once at start from the operator's settings and
 *  from the record files of the build and the release; none of it was observed in the outside. */
import type { Fact } from '../../ports.ts'

/** A published asset as whoever published the release read it back. */
export interface ReleaseAsset {
  name: string
  kind: 'archive' | 'signature' | 'sbom' | 'other'
  url: string
  sha256: string
}

/** `release-readback.json`: what the published release holds, read back after it was published. It MUST have been
 *  checked field by field; whether it speaks of this build is for the reader to compare. */
export interface ReleaseReadback {
  version: string
  tag: string
  commit: string
  readAt: string
  assets: readonly ReleaseAsset[]
  /** The archive's own record of the software, where one was read back. */
  doi: { value: string; readAt: string } | null
}

/** The checks a release is held to. A check without a result did not pass. */
export const DECLARED_CHECKS = [
  'types',
  'lint',
  'unit',
  'http-contract',
  'both-stores',
  'vectors',
  'adversarial-input',
  'crash-rounds',
  'browser',
  'cli',
  'documentation',
  'dependency-audit',
  'sbom',
  'reproducible-build',
] as const
export type DeclaredCheck = (typeof DECLARED_CHECKS)[number]

/** `release-checks.json`: what came of the checks of one commit. It counts for that commit and for no other. */
export interface ReleaseChecks {
  gitSha: string
  workingTree: 'CLEAN' | 'DIRTY'
  completedAt: string
  passed: ReadonlySet<DeclaredCheck>
}

/** A merge as its subject names it, and the surfaces whose files it changed. */
export interface Merge {
  subject: string
  surfaces: readonly string[]
}

export interface Identity {
  repositoryUrl: Fact
  imageDigest: Fact
  deployedCommit: Fact
  deployTime: Fact
  deployTarget: Fact
  registryUrl: Fact
  legacyAliasUrl: Fact
  releaseTag: Fact
  spaceSha: Fact
  doi: { concept: Fact; formal: Fact; software: Fact }
  readback: ReleaseReadback | null
  checks: { declared: readonly DeclaredCheck[]; record: ReleaseChecks | null }
  /** Empty where no build record lists any. */
  merges: readonly Merge[]
  /** Where this service answers: the operator's word, else the address it listens on; null before it listens. */
  canonical(): Fact
  /** Names of settings and sources, never what they are set to. */
  outbound: { enabled: boolean; configured: readonly string[]; overridden: readonly string[] }
}
