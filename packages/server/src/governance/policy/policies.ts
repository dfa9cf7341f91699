/** The active policies. Where no set could be loaded, everything is denied until a reload succeeds. */
import { LastGood } from '../../platform/hot-reload.ts'
import type { Policies } from '../contract.ts'
import type { CedarEngine } from './cedar.ts'
import { failClosed } from './verdict.ts'

export type PolicyEngine = Omit<CedarEngine, 'tools'>

/** `open` throws where the set must not be used; its sentence is what readiness shows. */
export function policiesOf(open: () => PolicyEngine, engineName = 'cedar-wasm'): Policies {
  const engines = new LastGood<PolicyEngine>()
  const load = (): void => {
    try {
      engines.accept('', open())
    } catch (error) {
      engines.refuse(error instanceof Error ? error.message : 'the policy engine did not start')
    }
  }
  const status = (): ReturnType<Policies['status']> => ({
    ready: engines.active !== null,
    reason: engines.fault,
    ...(engines.active?.status() ?? absent(engineName)),
  })
  load()
  return {
    authorize: (request) =>
      failClosed(() => {
        if (engines.active === null) throw new Error('no policy set is loaded')
        return engines.active.authorize(request)
      }, status),
    status,
    reload() {
      if (engines.active === null) load()
      else engines.active.reload()
    },
    diskDigest: () => engines.active?.diskDigest() ?? null,
    texts: () => engines.active?.texts() ?? [],
    tool: (name) => engines.active?.tool(name) ?? null,
  }
}

const absent = (engine: string) => ({ engine, policy_digest: null, policies: 0, files: [], reload_failed: null })
