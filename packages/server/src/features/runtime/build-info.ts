import { INTERFACE_VERSION } from '@orch/core'

interface Fact {
  value: string | null
  source: string
}

/** What was gathered at start, as far as it is shown. */
export interface ShownFacts {
  gitSha: Fact
  observedCommit: Fact
  workingTree: Fact
  version: Fact
  buildTime: Fact
  buildDigest: Fact
  matchesRecord: boolean | null
  conflicts: readonly object[]
}

/** The build as it can be shown: every field beside the kind of evidence there is for it. */
export function buildInfo(facts: ShownFacts, runtime: object) {
  const fields = {
    revision: facts.gitSha,
    version: facts.version,
    working_tree: facts.workingTree,
    build_time: facts.buildTime,
    build_digest: facts.buildDigest,
  }
  return {
    status: statusOf(facts),
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
      field_evidence: Object.fromEntries(Object.entries(fields).map(([name, fact]) => [name, evidenceOf(fact)])),
    },
    runtime,
    interface_version: INTERFACE_VERSION,
    receipt_minted: false,
  }
}

/** A revision that two sources disagree about, or that an operator wrote down and nobody saw, is known only in part. */
function statusOf({ gitSha, observedCommit, conflicts }: ShownFacts): 'OBSERVED' | 'PARTIAL' | 'UNAVAILABLE' {
  if (gitSha.value === null) return 'UNAVAILABLE'
  return conflicts.length > 0 || observedCommit.value === null ? 'PARTIAL' : 'OBSERVED'
}

/** What an operator wrote down is configured, not observed. */
const evidenceOf = (fact: Fact): 'OBSERVED' | 'CONFIGURED' | 'UNKNOWN' =>
  fact.value === null ? 'UNKNOWN' : fact.source.startsWith('env:') ? 'CONFIGURED' : 'OBSERVED'
