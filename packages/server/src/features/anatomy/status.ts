/** Whether the surface works, found out for this very reply: the store was read and the policies were asked. */

import type { Partition } from '../../domain/partition.ts'
import type { Authorize } from '../../domain/policy/authorization.ts'
import { ANATOMY_OPERATIONS, DISCLOSURE, EVALUATION, REQUEST_LIMIT_BYTES } from './disclosure.ts'
import type { Deps as EvaluationDeps } from './evaluations.ts'
import { evidenceTrust, THRESHOLD } from './rules/evidence.ts'
import { evaluateIntent } from './rules/intent.ts'
import { PROVEN, proofCommand } from './rules/prove.ts'
import { MAX_SCENARIOS } from './rules/scenarios.ts'
import { headIn, readHead } from './stored-records.ts'

type Deps = Pick<EvaluationDeps, 'ledger' | 'anatomy' | 'trustedBuilders'>

export async function statusOf(deps: Deps, partition: Partition) {
  const store = await storeState(deps, partition)
  const reasons = [policyFault(deps.anatomy), store.reason].filter((reason) => reason !== null)
  return {
    status: reasons.length === 0 ? ('ok' as const) : ('unavailable' as const),
    reasons,
    service: 'orch.anatomy-ledger' as const,
    ...EVALUATION,
    ...{ ledgerExists: store.ledgerExists, recordCount: store.recordCount },
    evaluator: 'cedar-wasm' as const,
    trustRing: { keys: store.keyids?.length ?? null, threshold: THRESHOLD, keyids: store.keyids ?? [] },
    requestLimitBytes: REQUEST_LIMIT_BYTES,
    policyDigest: deps.anatomy.status().policy_digest,
    scenarioLimit: MAX_SCENARIOS,
    capabilities: ['ledger', ...ANATOMY_OPERATIONS],
    disclosure: DISCLOSURE,
  }
}

function policyFault(anatomy: Deps['anatomy']): string | null {
  // Why they did not is the operator's to read: it may name files.
  if (!anatomy.status().ready) return 'the policies did not load'
  return answers(anatomy.authorize) ? null : 'the policies do not decide two known cases as they must'
}

const answers = (authorize: Authorize): boolean =>
  evaluateIntent(proofCommand(), authorize, PROVEN).outcome === 'ALLOW' &&
  evaluateIntent(proofCommand({ networkZone: 'public-internet' }), authorize, PROVEN).outcome === 'BLOCK'

async function storeState({ ledger, trustedBuilders }: Deps, partition: Partition) {
  try {
    const row = await readHead(ledger.reader, partition)
    const head = row === null ? null : headIn(row)
    const { ring } = evidenceTrust(await ledger.reader.keys(), ledger.trusted, trustedBuilders)
    const damaged = row !== null && head === null
    return {
      reason: damaged ? 'where the chain of records ends cannot be read' : null,
      ...{ ledgerExists: row !== null, recordCount: damaged ? null : (head?.recordCount ?? 0) },
      keyids: [...new Set(ring.map(({ key }) => key.keyid))],
    }
  } catch (error) {
    // The text of a store's fault may name hosts and files; that there was one is all a caller needs.
    const reason = `the store did not answer (${error instanceof Error ? error.name : 'unknown'})`
    return { reason, ledgerExists: null, recordCount: null, keyids: null }
  }
}
