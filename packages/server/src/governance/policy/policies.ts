/** The policies in charge. An engine whose set does not load is no engine: everything is denied until a reload succeeds. */
import type { PolicyRequest, PolicyVerdict } from '../../domain/policy/authorization.ts'
import type { Policies } from '../contract.ts'

/** An engine over a set that loaded. */
export interface PolicyEngine extends Pick<Policies, 'authorize' | 'diskDigest' | 'texts' | 'tool'> {
  /** A set that fails leaves the last good one in charge. */
  reload(): { reloaded: boolean }
  status(): {
    engine: string
    policy_digest: string
    policies: number
    files: { name: string; sha256: string }[]
    reload_failed: string | null
  }
}

/** `open` throws where the set must not be used; its sentence is what readiness shows. */
export function policiesOf(open: () => PolicyEngine, engineName = 'cedar-wasm'): Policies {
  let engine: PolicyEngine | null = null
  let fault: string | null = null
  const load = (): void => {
    try {
      engine = open()
      fault = null
    } catch (error) {
      fault = error instanceof Error ? error.message : 'the policy engine did not start'
    }
  }
  load()
  return {
    authorize: (request) => verdictOf(engine, request, engineName),
    status: () => ({ ready: engine !== null, reason: fault, ...(engine?.status() ?? absent(engineName)) }),
    reload() {
      if (engine === null) load()
      else engine.reload()
    },
    diskDigest: () => engine?.diskDigest() ?? null,
    texts: () => engine?.texts() ?? [],
    tool: (name) => engine?.tool(name) ?? null,
  }
}

const absent = (engine: string) => ({ engine, policy_digest: null, policies: 0, files: [], reload_failed: null })

/** An engine that throws, errs or says something other than its three words has not answered. */
function verdictOf(engine: PolicyEngine | null, request: PolicyRequest, engineName: string): PolicyVerdict {
  if (engine === null) return denied(engineName, '', 'no policy set is loaded')
  const silent = () => denied(engineName, engine.status().policy_digest, 'the policy engine gave no answer')
  try {
    const verdict = engine.authorize(request)
    const clean = verdict.outcome === 'deny' || verdict.errors.length === 0
    return clean && OUTCOMES.includes(verdict.outcome) ? verdict : silent()
  } catch {
    // What it threw may hold the caller's text, and the verdict is the same whatever it was.
    return silent()
  }
}

const OUTCOMES: readonly unknown[] = ['allow', 'review', 'deny']

const denied = (engine: string, policy_digest: string, error: string): PolicyVerdict => ({
  outcome: 'deny',
  reasons: ['POLICY_ERROR'],
  determining: [],
  forbids: [],
  errors: [error],
  engine,
  policy_digest,
})
