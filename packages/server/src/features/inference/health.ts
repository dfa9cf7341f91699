/** What is known of the targets without asking them. */
import type { TargetState } from '../../adapters/models/contract.ts'
import type { HealthReply, ModelsReply } from './schemas.ts'

const ABSENT: Readonly<Record<string, string>> = {
  KEY_MISSING: 'the variable named by api_key_env is not set',
  MODEL_ABSENT: 'the embedded model is not part of this build',
  TRANSPORT_DISABLED: 'ORCH_OUTBOUND is off',
}

const reasonOf = ({ absent, calls }: TargetState): string | null =>
  absent !== null ? (ABSENT[absent] ?? absent) : calls === 0 ? 'not called yet in this process' : null

export const healthOf = (targets: readonly TargetState[], now: string): HealthReply => ({
  status: targets.some(({ absent, breaker }) => absent === null && breaker !== 'open') ? 'ready' : 'no_target',
  targets: targets.map((target) => ({
    id: target.id,
    model: target.model,
    zone: target.zone,
    tier: target.tier,
    context_tokens: target.contextTokens,
    timeout_ms: target.timeoutMs,
    embedded: target.embedded,
    breaker: target.breaker,
    in_flight: target.inFlight,
    calls: target.calls,
    errors: target.errors,
    last_success_at: target.lastSuccessAt,
    last_error_code: target.lastErrorCode,
    last_error_at: target.lastErrorAt,
    label: target.absent === null && target.calls > 0 ? 'MEASURED' : 'UNAVAILABLE',
    reason: reasonOf(target),
  })),
  probed: false,
  read_at: now,
  label: 'MEASURED',
})

/** Those that can be asked: a target that is absent answers nothing and is not listed. */
export const modelsOf = (targets: readonly TargetState[], startedAt: number): ModelsReply => ({
  object: 'list',
  data: targets
    .filter(({ absent }) => absent === null)
    .map(({ id, model, zone, embedded }) => ({
      id: model ?? id,
      object: 'model',
      created: Math.floor(startedAt / 1000),
      owned_by: embedded ? 'orch' : id,
      orch: { target: id, zone, label: 'STRUCTURAL-ONLY' },
    })),
})
