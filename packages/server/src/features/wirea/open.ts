/** Opens the analytics: their jobs in the compute pool, the graphs of the service and the search over what it says. */
import type { Compute } from '../../platform/compute/compute.ts'
import { anomalyWork } from './anomaly-job.ts'
import { coverageWork } from './forecast-coverage.ts'
import { measuresWork } from './graph/measures.ts'
import { type GraphNeeds, readGraph } from './graph/read-graph.ts'
import type { WireaPorts } from './ports.ts'
import { qualityWork } from './quality-job.ts'
import { scoresWork } from './scores/job.ts'
import { openSearch, type SearchNeeds } from './search/open-search.ts'
import { runSelfChecks } from './self-checks.ts'

const DEADLINE_MS = 20_000
/** Three eigenvalue problems of 500 rows take seven seconds of a core. */
const GRAPH_DEADLINE_MS = 45_000

/** `searchDocuments`: how many documents can be searched, receipts aside. */
interface Opened extends WireaPorts {
  searchDocuments(): Promise<number>
}

export function openWirea(needs: GraphNeeds & SearchNeeds & { compute: Compute }): Opened {
  const { compute } = needs
  const search = openSearch(needs)
  return {
    searchDocuments: search.documents,
    wirea: {
      jobs: {
        anomalies: compute.register({
          name: 'wirea-anomalies',
          module: new URL('./anomaly-job.ts', import.meta.url),
          function: 'analyseAnomalies',
          deadlineMs: DEADLINE_MS,
          cost: { of: anomalyWork, max: 101_000 },
        }),
        scores: compute.register({
          name: 'wirea-scores',
          module: new URL('./scores/job.ts', import.meta.url),
          function: 'analyseScores',
          deadlineMs: DEADLINE_MS,
          cost: { of: scoresWork, max: 5e7 },
        }),
        coverage: compute.register({
          name: 'wirea-coverage',
          module: new URL('./forecast-coverage.ts', import.meta.url),
          function: 'forecastCoverage',
          deadlineMs: DEADLINE_MS,
          cost: { of: coverageWork, max: 2e6 },
          cache: true,
        }),
        graph: compute.register({
          name: 'wirea-graph',
          module: new URL('./graph/measures.ts', import.meta.url),
          function: 'measureGraph',
          deadlineMs: GRAPH_DEADLINE_MS,
          cost: { of: measuresWork, max: 5e8 },
          cache: true,
        }),
        quality: compute.register({
          name: 'wirea-quality',
          module: new URL('./quality-job.ts', import.meta.url),
          function: 'judgeQuality',
          deadlineMs: DEADLINE_MS,
          cost: { of: qualityWork, max: 256_000 },
          cache: true,
        }),
      },
      selfChecks: runSelfChecks,
      readGraph: (name, caller) => readGraph(needs, name, caller),
      search: search.run,
    },
  }
}
