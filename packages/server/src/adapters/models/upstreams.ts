/** The operator's model targets and the embedded model behind one port. */

import type { Clock } from '../../ports.ts'
import type { ChatFailure, TargetState, Upstreams } from './contract.ts'
import { Target, type TargetSettings } from './target.ts'
import { countTokens } from './tokens.ts'

export interface UpstreamSettings {
  targets: readonly Omit<TargetSettings, 'absent' | 'streamMs'>[]
  /** Ids of targets whose key is named and not there. */
  keyless: readonly string[]
  /** The operator wants the embedded model. */
  m1: boolean
  outbound: boolean
  privateHosts: readonly string[]
  streamMs: number
}

/** Listed so that a caller learns why it does not answer. The model itself is not part of this build. */
const EMBEDDED: TargetState = {
  id: 'm1',
  model: 'm1',
  zone: 'local',
  tier: 0,
  contextTokens: 0,
  timeoutMs: 0,
  embedded: true,
  absent: 'MODEL_ABSENT',
  breaker: 'closed',
  inFlight: 0,
  calls: 0,
  errors: 0,
  lastSuccessAt: null,
  lastErrorCode: null,
  lastErrorAt: null,
  lastCallAt: null,
  durationsMs: [],
}

export function createUpstreams(settings: UpstreamSettings, clock: Clock): Upstreams {
  const { outbound, keyless, privateHosts, streamMs } = settings
  const absence = (id: string) => (!outbound ? 'TRANSPORT_DISABLED' : keyless.includes(id) ? 'KEY_MISSING' : null)
  const targets = new Map(
    settings.targets.map((target) => [
      target.id,
      new Target({ ...target, streamMs, absent: absence(target.id) }, privateHosts, clock),
    ]),
  )
  const called = <T>(id: string, call: (target: Target) => Promise<T>): Promise<T | ChatFailure> => {
    const target = targets.get(id)
    return target ? call(target) : Promise.resolve({ ok: false, code: 'MODEL_ABSENT', status: null })
  }
  return {
    targets: () => [...[...targets.values()].map((target) => target.state()), ...(settings.m1 ? [EMBEDDED] : [])],
    complete: (id, call, signal) => called(id, (target) => target.complete(call, signal)),
    stream: (id, call, signal) => called(id, (target) => target.stream(call, signal)),
    countTokens,
    close: () => {
      for (const target of targets.values()) target.close()
    },
  }
}
