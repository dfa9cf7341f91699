import { INTERFACE_VERSION } from '@orch/core'
import type { BuildFacts, Fact, Runtime } from '../../ports.ts'
import type { BuildInfo } from './schemas.ts'

/** The build as it can be shown: every field with the kind of evidence there is for it. */
export function buildInfo(facts: BuildFacts, runtime: ReturnType<Runtime['versions']>): BuildInfo {
  const fields = {
    revision: facts.gitSha,
    version: facts.version,
    working_tree: facts.workingTree,
    build_time: facts.buildTime,
    build_digest: facts.buildDigest,
  }
  return {
    status: buildStatus(facts),
    service: 'orch',
    build: {
      revision: facts.gitSha.value,
      revision_source: facts.gitSha.source,
      version: facts.version.value,
      version_source: facts.version.source,
      working_tree: facts.workingTree.value ?? 'UNKNOWN',
      build_time: facts.buildTime.value,
      build_digest: facts.buildDigest.value,
      artifact_matches_record: facts.matchesRecord,
      conflicts: facts.conflicts,
      field_evidence: Object.fromEntries(Object.entries(fields).map(([name, fact]) => [name, evidenceFor(fact)])),
    },
    runtime,
    interface_version: INTERFACE_VERSION,
    receipt_minted: false,
  }
}

/** A revision that two sources disagree about, or that an operator wrote down and no source observed, is known only in part. */
function buildStatus({ gitSha, observedCommit, conflicts }: BuildFacts): BuildInfo['status'] {
  if (gitSha.value === null) return 'UNAVAILABLE'
  return conflicts.length > 0 || observedCommit.value === null ? 'PARTIAL' : 'OBSERVED'
}

/** What an operator wrote down is configured, not observed. */
const evidenceFor = (fact: Fact): 'OBSERVED' | 'CONFIGURED' | 'UNKNOWN' =>
  fact.value === null ? 'UNKNOWN' : fact.source.startsWith('env:') ? 'CONFIGURED' : 'OBSERVED'
