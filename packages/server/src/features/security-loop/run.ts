/** One run over a lockfile: what was found, counted and bounded. */
import type { AdvisorySample } from './advisories.ts'
import { findAll, packagesOf } from './findings.ts'
import type { Component } from './lockfile.ts'
import type { LoopRun } from './schemas.ts'

export const BOUNDS = {
  max_findings: 128,
  max_affected_deployments: 100,
  max_plan_batches: 10,
  max_batch_size: 25,
} as const

interface RunInput {
  components: readonly Component[]
  sample: AdvisorySample
  lockfile_sha256: string
  advisories_sha256: string
}

const NOTE =
  'The advisories are a committed sample of published ones: a finding is one, and the absence of findings proves nothing.'

export function buildRun({ components, sample, lockfile_sha256, advisories_sha256 }: RunInput): LoopRun {
  const findings = findAll(components, sample)
  const shown = findings.slice(0, BOUNDS.max_findings)
  const count = <T>(list: readonly T[], is: (one: T) => boolean): number => list.filter(is).length
  return {
    label: 'SAMPLE',
    state: 'COMPLETED',
    reason: null,
    components: components.length,
    advisories: sample.advisories.length,
    findings: shown,
    counts: {
      production: count(components, ({ dev }) => !dev),
      dev: count(components, ({ dev }) => dev),
      without_version: count(components, ({ version }) => version === null),
      packages_covered: new Set(sample.advisories.flatMap(packagesOf)).size,
      findings: findings.length,
      findings_left_out: findings.length - shown.length,
      by_state: tally(findings.map(({ state }) => state)),
      by_severity: tally(findings.map(({ severity }) => severity)),
    },
    lockfile_sha256,
    advisories_sha256,
    snapshot_date: sample.snapshot_date,
    attribution: sample.attribution,
    complete: false,
    note: NOTE,
  }
}

const tally = (words: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]))

/** Nothing to match: what was not read is null, and no finding is no statement. */
export const unavailableRun = (
  {
    sample,
    lockfile_sha256,
    advisories_sha256,
  }: Omit<RunInput, 'components' | 'lockfile_sha256'> & {
    lockfile_sha256: string | null
  },
  reason: string,
): LoopRun => ({
  label: 'UNAVAILABLE',
  state: 'UNAVAILABLE',
  reason,
  components: null,
  advisories: sample.advisories.length,
  findings: [],
  counts: null,
  lockfile_sha256,
  advisories_sha256,
  snapshot_date: sample.snapshot_date,
  attribution: sample.attribution,
  complete: false,
  note: NOTE,
})
