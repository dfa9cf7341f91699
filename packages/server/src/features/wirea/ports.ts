/** What the operations have besides the shared ports. */
import type { Reading } from '@orch/core'
import type { Call } from '../../operation.ts'
import type { Job } from '../../platform/compute/job.ts'
import type { Summary } from './analysis.ts'
import type { GraphInput } from './graph/graph.ts'
import type { GraphMeasures } from './graph/replies.ts'
import type { LiveGraphInput } from './graph/sources.ts'
import type { QualityInput, QualityOutcome } from './quality-job.ts'
import type { CoverageResult, Health, SearchResult } from './replies.ts'
import type { AnomalyBody, CoverageInput, LiveGraph, ScoresBody } from './schemas.ts'

type Caller = Call['caller']

export interface WireaPorts {
  wirea: {
    jobs: {
      anomalies: Job<AnomalyBody, Summary>
      scores: Job<ScoresBody, Summary>
      coverage: Job<CoverageInput, CoverageResult>
      graph: Job<GraphInput & { layoutSeed: number }, GraphMeasures>
      quality: Job<QualityInput, QualityOutcome>
    }
    /** Known answers, computed now. */
    selfChecks(): Health['self_checks']
    /** Read for this call. Of the ledger only the caller's own receipts. */
    readGraph(name: LiveGraph, caller: Caller): Promise<Reading<LiveGraphInput>>
    search(text: string, limit: number, caller: Caller): Promise<SearchResult>
  }
}
