/** The active policies. Where no set could be loaded, everything is denied until a reload succeeds. */
import { LastGood } from '../../platform/hot-reload.ts'
import type { Policies } from '../contract.ts'
import type { CedarEngine } from './cedar.ts'
import { failClosed } from './verdict.ts'

export type PolicyEngine = Omit<CedarEngine, 'tools'>

/** `open` throws where the set must not be used; its sentence is what readiness shows. The set is read when it is first asked
 *  for, or at a reload: that takes a quarter of a second of processor time, which a start need not wait for. */
export function policiesOf(open: () => PolicyEngine, engineName = 'cedar-wasm'): Policies {
  const engines = new LastGood<PolicyEngine>()
  let tried = false
  const load = (): void => {
    tried = true
    try {
      engines.accept('', open())
    } catch (error) {
      engines.refuse(error instanceof Error ? error.message : 'the policy engine did not start')
    }
  }
  const active = (): PolicyEngine | null => {
    if (!tried) load()
    return engines.active
  }
  const status = (): ReturnType<Policies['status']> => {
    const engine = active()
    return { ready: engine !== null, reason: engines.fault, ...(engine?.status() ?? absent(engineName)) }
  }
  return {
    authorize: (request) =>
      failClosed(() => {
        const engine = active()
        if (engine === null) throw new Error('no policy set is loaded')
        return engine.authorize(request)
      }, status),
    status,
    reload() {
      if (engines.active === null) load()
      else engines.active.reload()
    },
    diskDigest: () => active()?.diskDigest() ?? null,
    texts: () => active()?.texts() ?? [],
    tool: (name) => active()?.tool(name) ?? null,
  }
}

const absent = (engine: string) => ({ engine, policy_digest: null, policies: 0, files: [], reload_failed: null })
