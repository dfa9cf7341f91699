import { AnyObject, LEDGER_ERRORS } from '../../domain/wire.ts'
import { ServiceError } from '../../errors.ts'
import { type Operation, operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Anchoring, Ports } from '../../ports.ts'
import {
  ANATOMY_OPERATIONS,
  type AnatomyOperation,
  BODY_LIMIT_MS,
  EVALUATION,
  REQUEST_LIMIT_BYTES,
  SECURITY_HEADERS,
} from './disclosure.ts'
import {
  EVALUATIONS,
  type Deps as EvaluationDeps,
  policiesUnavailable,
  recordSource,
  refuseEmpty,
} from './evaluations.ts'
import { checkedPage, ledgerView } from './ledger-view.ts'
import { TIMESTAMP_WINDOW_S } from './rules/parc.ts'
import { type ProofKeys, proofCommand, prove } from './rules/prove.ts'
import * as schemas from './schemas.ts'
import { statusOf } from './status.ts'

type Deps = EvaluationDeps &
  Pick<Ports, 'recorder'> & {
    anchoring: Anchoring
    /** Fresh key pairs, made for one run and stored nowhere. */
    ephemeralKeys: () => ProofKeys
  }

const common = { group: 'Governance', headers: SECURITY_HEADERS } as const

/** Intents and evidence are evaluated and recorded here; nothing is ever executed. */
export const anatomy = (deps: Deps): Operation[] => {
  const { recorder, clock, anchoring, ephemeralKeys } = deps
  return [
    operation({
      ...common,
      id: 'anatomy.status',
      method: 'GET',
      path: '/anatomy-ledger/healthz',
      aliases: ['/api/orch/v1/anatomy-ledger/status'],
      scope: null,
      summary: 'Whether store and policies answered now, and what this surface can do',
      reply: schemas.Status,
      labels: ['MEASURED'],
      run: ({ caller }) => statusOf(deps, caller),
    }),
    operation({
      ...common,
      id: 'anatomy.ledger',
      method: 'GET',
      path: '/anatomy-ledger/ledger',
      scope: 'receipts:read',
      summary: 'The caller’s chain of evidence records, newest first, recomputed for this reply',
      description:
        'A page also ends after about 8 MiB; nextCursor goes on until it is null. What does not hold is named by its index and not shown.',
      query: schemas.LedgerQuery,
      narrows: true,
      reply: schemas.LedgerPage,
      labels: ['STRUCTURAL-ONLY'],
      errors: ['ledger_unavailable'],
      example: { query: { limit: 20 } },
      async run({ query: { limit, cursor }, caller, signal }) {
        const { page, checked } = await checkedPage(recordSource(deps), caller, { limit: limit!, cursor })
        return ledgerView(page, checked, await anchoring.read(signal), isoNow(clock))
      },
    }),
    operation({
      ...common,
      id: 'anatomy.prove',
      method: 'GET',
      path: '/anatomy-ledger/prove',
      scope: null,
      summary: 'Synthetic cases through the real evaluators, with throw-away keys; nothing is recorded',
      reply: schemas.Proof,
      labels: ['SIMULATED'],
      errors: ['gates_unavailable'],
      run() {
        if (!deps.anatomy.status().ready) throw policiesUnavailable()
        return { ...EVALUATION, ...prove(ephemeralKeys(), deps.anatomy.authorize) }
      },
    }),
    operation({
      ...common,
      id: 'anatomy.evaluate',
      method: 'POST',
      path: '/anatomy-ledger/:operation',
      scope: 'anatomy:write',
      summary: 'Evaluate an intent, evidence, both bound together, counterfactuals, or a replay; nothing is executed',
      description: `The operation is one of ${ANATOMY_OPERATIONS.join(', ')}. Checked in this order: the operation, the type of the body, its origin, its size, its pace, its shape. authorize and bind judge an intent now: its \`context.timestamp\` must lie within ${TIMESTAMP_WINDOW_S} seconds of the service's clock. analyze looks at an intent as of its own time, so the example holds on any day.`,
      params: schemas.OperationPath,
      body: AnyObject,
      bodyRule: { minProperties: 1 },
      bodyLimit: REQUEST_LIMIT_BYTES,
      bodyTimeoutMs: BODY_LIMIT_MS,
      validationExtras: EVALUATION,
      precheck: ({ operation }) => void operationNamed(operation),
      reply: schemas.Evaluation,
      labels: ['MODELED', 'STRUCTURAL-ONLY'],
      errors: [
        ...(['operation_not_found', 'idempotency_conflict', 'state_conflict', 'gates_unavailable'] as const),
        ...(['ledger_unavailable', ...LEDGER_ERRORS] as const),
      ],
      example: { params: { operation: 'analyze' }, body: { command: proofCommand() } },
      run(call) {
        const { params, body, caller } = call
        refuseEmpty(body)
        return recorder.record(
          call,
          'anatomy.evaluate',
          EVALUATIONS[operationNamed(params.operation)](deps, body, caller),
        )
      },
    }),
  ]
}

function operationNamed(name: string | undefined): AnatomyOperation {
  const found = ANATOMY_OPERATIONS.find((operation) => operation === name)
  if (found !== undefined) return found
  throw new ServiceError(
    'operation_not_found',
    `path.operation names no operation of the anatomy ledger; allowed: ${ANATOMY_OPERATIONS.join(', ')}`,
  )
}
