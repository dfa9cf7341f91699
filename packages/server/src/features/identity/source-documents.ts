/** The three documents at well-known places. They carry no signature and claim nothing that a signature would have to
 *  support; each says where it ends. */
import { DOCTRINE, KERNEL_COMMIT } from '@orch/core'
import type { Fact } from '../../ports.ts'
import { compareCommits, type IdentityFacts, isContested } from './facts.ts'
import type { DeploymentSource, ProductSource, SourceDeployAttestation } from './schemas.ts'

const DEPLOYMENT_STATES = {
  transport_state: 'REACHABLE',
  verification_state: 'STRUCTURAL_ONLY',
  authority_state: 'READ_ONLY',
} as const

export function deploymentSource(facts: IdentityFacts, refresh: DeploymentSource['refresh']): DeploymentSource {
  const { build, identity, space, now } = facts
  return {
    schema: 'orch.deployment-source/v1',
    observed_at: now,
    ...DEPLOYMENT_STATES,
    evidence_state: build.gitSha.value === null ? 'UNAVAILABLE' : 'COMPUTED',
    source: {
      repository: identity.repositoryUrl.value,
      commit: build.gitSha.value,
      commit_source: build.gitSha.source,
      state: commitState(facts),
    },
    deployment: {
      hosted_space: space.name,
      hosted_revision: space.sha,
      mode: space.mode,
      fetched_at: space.fetched_at,
    },
    alignment_state: compareCommits(build.gitSha.value, space.sha),
    attestation_state: 'UNSIGNED_STRUCTURAL',
    claims: {
      repository_parity: 'NOT_CLAIMED',
      reproducible_build: 'NOT_CLAIMED',
      build_provenance: 'NOT_CLAIMED',
    },
    refresh,
    limits: [
      'the commit is what this process was told or found at start; nobody outside vouches for it',
      'the hosted revision is the newest background reading and as old as fetched_at says',
      'equal commits do not show that the running files are those of the commit',
    ],
  }
}

/** What was configured is not observed, and what sources disagree about is neither. */
function commitState({ build }: IdentityFacts): DeploymentSource['source']['state'] {
  if (build.gitSha.value === null) return 'UNKNOWN'
  if (isContested(build, 'git_sha')) return 'CONFLICT'
  return build.gitSha.source.startsWith('env:') ? 'CONFIGURED' : 'OBSERVED'
}

/** Made of what was gathered at start and of nothing else, so that it is the same for the life of the process. */
export function sourceDeployAttestation({
  build,
  identity,
}: Pick<IdentityFacts, 'build' | 'identity'>): SourceDeployAttestation {
  return {
    schema_version: 'orch.source-deploy-attestation/v2',
    immutable_for_process: true,
    repository_url: stated(identity.repositoryUrl),
    source_commit: stated(build.gitSha),
    deployed_commit: stated(identity.deployedCommit),
    build_digest: stated(build.buildDigest),
    image_digest: stated(identity.imageDigest),
    deploy_timestamp: stated(identity.deployTime),
    deployment_target: identity.deployTarget.value,
    alignment_state: compareCommits(build.gitSha.value, identity.deployedCommit.value),
    claims: { reproducible_build: 'NOT_CLAIMED', artifact_equivalence: 'NOT_CLAIMED', slsa_level: 'NOT_CLAIMED' },
    limits: [
      'every value is configured or computed by this process itself at start; none was observed from outside',
      'alignment compares the two commits as text and says nothing about the files of either',
      'this document is not signed',
    ],
  }
}

const stated = ({ value, source, readAt }: Fact): SourceDeployAttestation['source_commit'] => ({
  value,
  evidence_class: value === null ? 'UNAVAILABLE' : 'STRUCTURAL-ONLY',
  source,
  read_at: readAt,
})

export const productSource = ({ build, identity, signer }: IdentityFacts): ProductSource => ({
  schema: 'orch.product-source/v1',
  origin: identity.canonical().value,
  repository_url: identity.repositoryUrl.value,
  git_sha: build.gitSha.value,
  git_sha_source: build.gitSha.source,
  doctrine: DOCTRINE,
  doctrine_lock: {
    doctrine: DOCTRINE,
    state: 'LOCKED',
    commit: KERNEL_COMMIT,
    note: 'a constant of the doctrine module; an anchor, not the commit of this build and not the finding of a check',
  },
  signer: signer.status,
  signer_key_kind: signer.keyKind,
  certified: false,
  proven_trust: false,
  publication_eligible: false,
  receipt_minted: false,
  limits: [
    ...(isContested(build, 'git_sha') ? ['CONFLICT: sources of the build disagree about git_sha'] : []),
    'nobody outside has certified this build',
    'a signature shows who signed, not that what was signed is right',
    'where the address of this service is not configured it is the one the process listens on',
  ],
})
