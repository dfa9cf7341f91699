/** The shipped rules and policies, asked once about each text: both are pure, and their own tests ask them more. */
import { fileURLToPath } from 'node:url'
import { DEADLINE_MS, type Examination, examineText } from '../../src/domain/decision/examine.ts'
import { loadRules } from '../../src/domain/gates/rules.ts'
import type { Gates, Policies } from '../../src/governance/contract.ts'
import { openCedar } from '../../src/governance/policy/cedar.ts'
import { policiesOf } from '../../src/governance/policy/policies.ts'
import { readRuleFiles, ruleDocuments } from '../../src/governance/rule-files.ts'
import { RULES_FOLDER } from '../../src/governance/workers/gate-engine.ts'

const POLICIES = fileURLToPath(new URL('../../../../policies/', import.meta.url))

export async function simulatedGates(): Promise<{ gates: Gates; policies: Policies }> {
  const rules = loadRules(ruleDocuments(await readRuleFiles(RULES_FOLDER)))
  const examined = new Map<string, Examination>()
  const status = () => ({
    ...{ ready: true, reason: null, rules_digest: rules.digest, confusables_digest: null },
    ...{ engine: 'simulated', reload_failed: null, files: [] },
  })
  const timeless = { deadlineMs: DEADLINE_MS, now: () => 0, wall: () => 0 }
  const gates: Gates = {
    async examine({ text, direction, origin, effect, declared }) {
      const known = examined.get(text) ?? examineText({ text, direction, origin, effect, declared, rules, ...timeless })
      examined.set(text, known)
      return known
    },
    rules: () => rules,
    status,
    reload: async () => status(),
    close: async () => undefined,
  }
  const policies = policiesOf(() => openCedar(POLICIES))
  const verdicts = new Map<string, ReturnType<Policies['authorize']>>()
  const authorize: Policies['authorize'] = (request) => {
    const key = JSON.stringify(request)
    const known = verdicts.get(key) ?? policies.authorize(request)
    verdicts.set(key, known)
    return known
  }
  return { gates, policies: { ...policies, authorize } }
}
