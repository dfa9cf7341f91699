/** Spans around the gates and the policies, and counts of what was decided and replayed. */
import type { Gates, Governance, Policies } from '../../../governance/contract.ts'
import { instrument } from '../../../platform/instrument.ts'
import type { Clock, Recorder, Tracing } from '../../../ports.ts'
import type { CallLog } from '../request-metrics.ts'
import type { WorkSeries } from '../work-metrics.ts'

export const observeGates = (gates: Gates, tracing: Tracing): Gates =>
  instrument(gates, { examine: (request) => tracing.child('gate', () => gates.examine(request)) })

export const observePolicies = (policies: Policies, tracing: Tracing): Policies =>
  instrument(policies, { authorize: (...asked) => tracing.child('policy', () => policies.authorize(...asked)) })

/** Only what was recorded counts as decided. */
export const observeGovernance = (
  governance: Governance,
  { series, calls, clock }: { series: WorkSeries; calls: CallLog; clock: Clock },
): Governance =>
  instrument(governance, {
    recorded(determination, seq, as) {
      governance.recorded(determination, seq, as)
      const { decision, examined } = determination
      if (as === 'output_scan') return series.outputScanned(decision.decision, examined.decisionRequest.surface)
      const { surface } = examined.decisionRequest
      series.decided(decision.decision, surface)
      if (surface === 'govern') calls.decisions.ended(200, (clock.monotonic() - examined.begunAt) / 1000)
      if (examined.decisionRequest.tool !== null) series.toolDecided(examined.tool?.name ?? null, decision.decision)
    },
  })

export const observeRecorder = (recorder: Recorder, series: WorkSeries): Recorder =>
  instrument(recorder, {
    async record(...asked) {
      const reply = await recorder.record(...asked)
      if (reply.headers['idempotent-replay'] === 'true') series.replayed()
      return reply
    },
  })
