/** The operator's model targets and the embedded model behind one port. */

import type { Clock } from '../../ports.ts'
import type { ChatFailure, EmbeddedModel, Upstreams } from './contract.ts'
import { EmbeddedTarget } from './embedded.ts'
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

export function createUpstreams(
  settings: UpstreamSettings,
  clock: Clock,
  model: EmbeddedModel | null = null,
): Upstreams {
  const { outbound, keyless, privateHosts, streamMs } = settings
  const absence = (id: string) => (!outbound ? 'TRANSPORT_DISABLED' : keyless.includes(id) ? 'KEY_MISSING' : null)
  const configured = settings.targets.map(
    (target) => new Target({ ...target, streamMs, absent: absence(target.id) }, privateHosts, clock),
  )
  const targets = new Map<string, Target | EmbeddedTarget>(configured.map((target) => [target.settings.id, target]))
  if (settings.m1) targets.set('m1', new EmbeddedTarget(model, clock))
  const called = <T>(id: string, call: (target: Target | EmbeddedTarget) => Promise<T>): Promise<T | ChatFailure> => {
    const target = targets.get(id)
    return target ? call(target) : Promise.resolve({ ok: false, code: 'MODEL_ABSENT', status: null })
  }
  return {
    targets: () => [...targets.values()].map((target) => target.state()),
    complete: (id, call, signal) => called(id, (target) => target.complete(call, signal)),
    stream: (id, call, signal) => called(id, (target) => target.stream(call, signal)),
    countTokens,
    close: () => {
      for (const target of configured) target.close()
    },
  }
}
