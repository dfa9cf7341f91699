import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BuildFacts, Fact, FactSource } from '../../ports.ts'
import type { SpaceReading } from '../readings/contract.ts'
import type { Identity } from './contract.ts'
import type { IdentityFacts } from './facts.ts'
import { deploymentSource, sourceDeployAttestation } from './source-documents.ts'

const A = 'a'.repeat(40)
const B = 'b'.repeat(40)
const AT = '2026-01-02T00:00:00.000Z'
const fact = (value: string | null, source: FactSource = 'git'): Fact => ({
  value,
  source: value === null ? 'none' : source,
  readAt: AT,
})

interface Known {
  commit: Fact
  conflicts?: BuildFacts['conflicts']
  deployed?: string | null
  space?: string | null
}
const factsOf = ({ commit, conflicts = [], deployed = null, space = null }: Known): IdentityFacts => {
  const nothing = fact(null)
  const identity = { repositoryUrl: nothing, imageDigest: nothing, deployTime: nothing, deployTarget: nothing }
  return {
    build: { gitSha: commit, conflicts, buildDigest: nothing } as Partial<BuildFacts> as BuildFacts,
    identity: { ...identity, deployedCommit: fact(deployed) } as Partial<Identity> as Identity,
    space: { name: null, sha: space, mode: 'unreachable', fetched_at: null } as Partial<SpaceReading> as SpaceReading,
    signer: { status: 'UNSIGNED', signingAvailable: false, keyKind: null, fingerprint: null, testedAt: null },
    now: AT,
  }
}

const alignments: [one: string | null, other: string | null, aligned: string][] = [
  [A, A, 'MATCH'],
  [A, B, 'CONFLICT'],
  [A, null, 'UNKNOWN'],
  [null, A, 'UNKNOWN'],
  [null, null, 'UNKNOWN'],
]
for (const [one, other, aligned] of alignments)
  test(`commits ${one?.slice(0, 1)} and ${other?.slice(0, 1)} are ${aligned}, by deployment and by hosted space`, () => {
    const deployed = sourceDeployAttestation(factsOf({ commit: fact(one), deployed: other }))
    assert.equal(deployed.alignment_state, aligned)
    assert.equal(deployed.source_commit.evidence_class, one === null ? 'UNAVAILABLE' : 'STRUCTURAL-ONLY')
    const hosted = deploymentSource(factsOf({ commit: fact(one), space: other }), null)
    assert.equal(hosted.alignment_state, aligned)
    assert.equal(hosted.evidence_state, one === null ? 'UNAVAILABLE' : 'COMPUTED')
  })

test('the hosted revision never decides the alignment of what was gathered at start', () => {
  assert.equal(sourceDeployAttestation(factsOf({ commit: fact(A), space: A })).alignment_state, 'UNKNOWN')
})

const contested: BuildFacts['conflicts'] = [{ field: 'git_sha', state: 'CONFLICT', values: [] }]
const states: [what: string, known: Known, state: string][] = [
  ['from nobody', { commit: fact(null) }, 'UNKNOWN'],
  ['from git', { commit: fact(A, 'git') }, 'OBSERVED'],
  ['from the build record', { commit: fact(A, 'build-record.json') }, 'OBSERVED'],
  ['from the operator', { commit: fact(A, 'env:ORCH_GIT_SHA') }, 'CONFIGURED'],
  ['that sources disagree about', { commit: fact(A, 'git'), conflicts: contested }, 'CONFLICT'],
]
for (const [what, known, state] of states)
  test(`a commit ${what} is ${state}`, () => {
    assert.equal(deploymentSource(factsOf(known), null).source.state, state)
  })
