import type { Telemetry } from '../../adapters/telemetry/contract.ts'
import type { TelemetryStatus } from './schemas.ts'

/** What can be said about traces: recorded here, handed to a collector, or neither. Delivery is asserted only on the word
 *  of a collector that took something lately, and a newer failure takes it back. */
type Exporter = ReturnType<Telemetry['exporter']>

export interface OtelFacts {
  roundTrip: { afterHop: boolean; inReply: boolean }
  counts: { started: number; ended: number }
  exporter: Exporter
  probe: { at: number; ok: boolean } | null
  now: number
}

const FRESH_MS = 120_000

interface Sighting {
  at: number
  ok: boolean
  by: 'export' | 'probe'
}

export function otelStatus({ roundTrip, counts, exporter, probe, now }: OtelFacts): TelemetryStatus {
  const propagates = roundTrip.afterHop && roundTrip.inReply
  const collector = judgeCollector(exporter, probe, now)
  const isDelivered = collector.state === 'REACHABLE'
  return {
    status: isDelivered ? 'LIVE' : propagates ? 'DEGRADED' : 'UNAVAILABLE',
    delivery_asserted: isDelivered,
    in_process: {
      state: roundTrip.afterHop ? 'LIVE' : 'UNAVAILABLE',
      trace_propagation: propagates ? 'READY' : 'UNAVAILABLE',
      spans_started: counts.started,
      spans_ended: counts.ended,
    },
    exporter: toExporterState(exporter),
    collector,
    checked_at: new Date(now).toISOString(),
  }
}

const toExporterState = (exporter: Exporter): TelemetryStatus['exporter'] => ({
  state: exporterState(exporter),
  endpoint_origin_sha256: exporter.originSha256,
  exported: exporter.exported,
  failed: exporter.failed,
  dropped: exporter.dropped,
  last_success_at: exporter.lastSuccessAt === null ? null : new Date(exporter.lastSuccessAt).toISOString(),
  last_error_code: exporter.lastErrorCode,
})

function exporterState({ originSha256, lastSuccessAt, lastFailureAt }: Exporter): TelemetryStatus['exporter']['state'] {
  if (originSha256 === null) return 'NOT_CONFIGURED'
  if (lastSuccessAt === null && lastFailureAt === null) return 'CONFIGURED'
  return (lastSuccessAt ?? -1) >= (lastFailureAt ?? -1) ? 'EXPORTING' : 'FAILING'
}

function judgeCollector(exporter: Exporter, probe: OtelFacts['probe'], now: number): TelemetryStatus['collector'] {
  const newest = newestSighting(exporter, probe)
  if (newest === null) return { state: 'UNKNOWN', evidence: 'NO_PROBE', age_s: null }
  const age = Math.max(0, now - newest.at)
  const age_s = Math.round(age) / 1000
  if (age > FRESH_MS) return { state: 'UNKNOWN', evidence: probe === null ? 'NO_PROBE' : 'STALE_PROBE', age_s }
  if (newest.ok)
    return { state: 'REACHABLE', evidence: newest.by === 'export' ? 'EXPORT_ACCEPTED' : 'FRESH_PROBE', age_s }
  return { state: 'UNREACHABLE', evidence: probeEvidence(probe, now), age_s }
}

function probeEvidence(probe: OtelFacts['probe'], now: number): 'NO_PROBE' | 'FRESH_PROBE' | 'STALE_PROBE' {
  if (probe === null) return 'NO_PROBE'
  return now - probe.at <= FRESH_MS ? 'FRESH_PROBE' : 'STALE_PROBE'
}

function newestSighting({ lastSuccessAt, lastFailureAt }: Exporter, probe: OtelFacts['probe']): Sighting | null {
  const seen: Sighting[] = [
    ...(probe === null ? [] : [{ ...probe, by: 'probe' as const }]),
    ...(lastFailureAt === null ? [] : [{ at: lastFailureAt, ok: false, by: 'export' as const }]),
    ...(lastSuccessAt === null ? [] : [{ at: lastSuccessAt, ok: true, by: 'export' as const }]),
  ]
  // Of two in one millisecond the worse one stands: better to warn again than to promise too much.
  return seen.sort((a, b) => b.at - a.at || Number(a.ok) - Number(b.ok))[0] ?? null
}
