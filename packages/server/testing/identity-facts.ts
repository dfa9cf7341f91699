// Facts and readings as the tests of the identity documents vary them.
import { BUILD_VERSION } from '@orch/core'
import {
  DECLARED_CHECKS,
  type Identity,
  type ReleaseChecks,
  type ReleaseReadback,
} from '../src/features/identity/contract.ts'
import type { IdentityFacts } from '../src/features/identity/facts.ts'
import { buildVersionRecord } from '../src/features/identity/version.ts'
import type { SpaceReading } from '../src/features/readings/contract.ts'
import type { BuildFacts, Fact, FactSource, SignerStatus } from '../src/ports.ts'

export const A = 'a'.repeat(40)
export const B = 'b'.repeat(40)
export const AT = '2026-01-02T00:00:00.000Z'
export const LINKS = { honest: '/api/orch/v1/honest', changelog: '/api/orch/v1/assets/changelog' }
const MOUNTED = [{ name: 'gates', operations: 2, declared: ['MEASURED'], label: 'MEASURED' }] as const
const SIGNER: SignerStatus = {
  status: 'DEMO',
  signingAvailable: true,
  keyKind: 'demo',
  fingerprint: null,
  testedAt: AT,
}

export const fact = <T extends string>(value: T | null, source: FactSource = 'env:ORCH_X'): Fact<T> => ({
  value,
  source: value === null ? 'none' : source,
  readAt: AT,
})

const UNREAD = { value: null, fetched_at: null, age_seconds: null, bytes_sha256: null, last_error: null }
export const spaces: Record<string, SpaceReading> = {
  absent: { ...UNREAD, name: null, sha: null, source: null, mode: 'unreachable', reason: 'NOT_CONFIGURED' },
  unread: { ...UNREAD, name: 'a/b', sha: null, source: 'https://x', mode: 'unreachable', reason: 'TIMEOUT' },
  read: spaceAt(A),
  elsewhere: spaceAt(B),
}

export function spaceAt(sha: string): SpaceReading {
  const value = { id: 'a/b', sha, stage: 'RUNNING', sdk: null, last_modified: null, private: false }
  const stored = { value, mode: 'cached', fetched_at: AT, age_seconds: 7, bytes_sha256: null, reason: null } as const
  return { ...stored, last_error: null, name: 'a/b', sha, source: 'https://x/api/spaces/a/b' }
}

const build: BuildFacts = {
  gitSha: fact(A, 'git'),
  observedCommit: fact(A, 'git'),
  workingTree: fact('CLEAN', 'git'),
  version: fact(BUILD_VERSION, 'package.json'),
  buildTime: fact(null),
  buildDigest: fact(`sha256:${'d'.repeat(64)}`, 'computed'),
  matchesRecord: null,
  conflicts: [],
}
export const contested: BuildFacts['conflicts'] = [{ field: 'git_sha', state: 'CONFLICT', values: [] }]

const assets = (['archive', 'signature', 'sbom'] as const).map((kind) => ({
  name: kind,
  kind,
  url: `https://git.example/${kind}`,
  sha256: `sha256:${'e'.repeat(64)}`,
}))
export const readback: ReleaseReadback = {
  version: BUILD_VERSION,
  tag: `v${BUILD_VERSION}`,
  commit: A,
  readAt: AT,
  assets,
  doi: { value: '10.1234/c', readAt: AT },
}
export const checked: ReleaseChecks = {
  gitSha: A,
  workingTree: 'CLEAN',
  completedAt: AT,
  passed: new Set(DECLARED_CHECKS),
}

export const identity: Identity = {
  repositoryUrl: fact('https://git.example/orch'),
  imageDigest: fact(null),
  deployedCommit: fact(null),
  deployTime: fact(null),
  deployTarget: fact(null),
  registryUrl: fact(null),
  legacyAliasUrl: fact(null),
  releaseTag: fact(null),
  spaceSha: fact(null),
  doi: { concept: fact(null), formal: fact(null), software: fact(null) },
  readback: null,
  checks: { declared: DECLARED_CHECKS, record: null },
  merges: [],
  canonical: () => fact('https://orch.example', 'env:ORCH_BASE_URL'),
  outbound: { enabled: true, configured: [], overridden: [] },
}

export interface Changes {
  build?: Partial<BuildFacts>
  identity?: Partial<Identity>
  space?: SpaceReading
}
const factsWith = (changes: Changes = {}): IdentityFacts => ({
  build: { ...build, ...changes.build },
  identity: { ...identity, ...changes.identity },
  space: changes.space ?? (spaces.absent as SpaceReading),
  signer: SIGNER,
  now: AT,
})
export const version = (changes: Changes = {}) => buildVersionRecord(factsWith(changes), MOUNTED, LINKS)

const [first] = DECLARED_CHECKS
export const oneMissing = new Set(DECLARED_CHECKS.filter((name) => name !== first))

export const pick = <T extends object, K extends keyof T>(from: T, ...names: K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>
