/** The panel as a whole: the sections, what they come to, and how old what they say is. */
import type { SnapshotState } from '../readings/contract.ts'
import { combine, compareAll } from './parity.ts'
import type { ReadinessPanel } from './schemas.ts'
import {
  endpointsSection,
  identitySection,
  isOfHead,
  type Panel,
  paritySection,
  repoSection,
  spaceSection,
} from './sections.ts'

const HONEST =
  'What is outside was read in the background and is served with its time and age; nothing read is null and unreachable. Only in-process checks, the live sections and the refresh are taken while a request is served.'

/** Where the interface wants a number or a word and nothing was read, these stand for it: no reading has them. */
const NO_NUMBER = -1
const NO_WORD = 'unknown'

export function buildPanel(panel: Panel, snapshot: SnapshotState): ReadinessPanel {
  const { repository, space, target } = panel
  return {
    layer: 'operational-readiness',
    honest: HONEST,
    organ: 'orch',
    repo: repository.name,
    repo_url: repository.repository.value?.html_url ?? null,
    hosted_space: space.name,
    deployment: target,
    summary: summarise(panel),
    sections: [
      endpointsSection(panel),
      identitySection(panel),
      repoSection(panel),
      spaceSection(panel),
      paritySection(panel),
    ],
    checked_at: newestReading(panel),
    served_from: snapshot.served_from,
    snapshot_fetched_at: snapshot.fetched_at,
    snapshot_age_seconds: snapshot.age_seconds ?? NO_NUMBER,
    stale: snapshot.stale,
  }
}

/** When the newest of the readings shown was taken; null where none was. */
function newestReading({ deployment, repository, space }: Panel): string | null {
  const { healthz, version, endpoints } = deployment
  const { repository: facts, head, ci, release } = repository
  const shown = [...Object.values(endpoints), healthz, version, facts, head, ci, release, space]
  const times = shown.flatMap(({ fetched_at }) => (fetched_at === null ? [] : [fetched_at]))
  return times.sort().at(-1) ?? null
}

function summarise(panel: Panel): ReadinessPanel['summary'] {
  const { reachable, total } = endpointsSection(panel)
  const { build } = compareAll(panel)
  const run = panel.repository.ci.value?.run ?? null
  return {
    endpoints_reachable: reachable,
    endpoints_total: total,
    build_status: build.status,
    build_behind_by: build.behind_by ?? NO_NUMBER,
    ci: run === null ? null : (run.conclusion ?? run.status),
    hosted_stage: panel.space.value?.stage ?? NO_WORD,
    ci_is_of_head: isOfHead(panel.repository),
    as_of: { build: asOf(build), ci: combine(panel.repository.ci), hosted_stage: combine(panel.space) },
  }
}

type AsOf = ReadinessPanel['summary']['as_of']['build']
const asOf = ({ mode, fetched_at, age_seconds, last_error }: AsOf): AsOf => ({
  mode,
  fetched_at,
  age_seconds,
  last_error,
})
