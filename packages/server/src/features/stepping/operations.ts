import { type Operation, operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { committedBench } from './committed-bench.ts'
import * as readSchemas from './read-schemas.ts'
import * as schemas from './schemas.ts'
import { stepAsked } from './step-request.ts'

type Deps = Pick<Ports, 'stepping' | 'effects' | 'signer' | 'authMode' | 'artifacts'>

/** Requests stepped one after the other in sessions with a budget of risk; every decision leaves a receipt. */
export const stepping = ({ stepping, effects, signer, authMode, artifacts }: Deps): Operation[] => [
  operation({
    id: 'stepping.step',
    group: 'Stepping',
    method: 'POST',
    path: '/gdw/step',
    alias: true,
    scope: 'step:write',
    summary: 'Examine a request, charge its session, decide, and record the decision with its effects',
    description:
      'A refusal is an answer, not an error. `dry_run` gives the same answer on the session as it stands and records nothing. An approved step is sent again with the same body under a new request id.',
    requestHeaders: schemas.StepHeaders,
    body: schemas.StepInput,
    emptyBody: 'refuse',
    reply: schemas.StepReply,
    errors: [
      'write_surface_unavailable',
      'gates_unavailable',
      'idempotency_conflict',
      'quota_exceeded',
      'ledger_busy',
      'session_busy',
      'session_expired',
      'session_chain_broken',
      'ledger_read_only',
      'signer_unavailable',
      'store_unavailable',
    ],
    labels: ['MODELED', 'STRUCTURAL-ONLY'],
    example: { body: { session_id: 'first-session', request: 'Read the audit log of yesterday.' } },
    ready: () => stepping.assertWritable(),
    run: (call) => stepping.step(call, stepAsked(call.body)),
  }),
  operation({
    id: 'stepping.session',
    group: 'Stepping',
    method: 'GET',
    path: '/gdw/sessions/:session_id',
    alias: true,
    scope: 'session:read',
    summary: 'Where a session stands: step, budget, effects and its latest decisions',
    params: readSchemas.SessionPath,
    reply: readSchemas.SessionReply,
    labels: ['STRUCTURAL-ONLY'],
    errors: ['session_not_found', 'store_unavailable'],
    example: { params: { session_id: 'first-session' } },
    run: ({ caller, params }) => stepping.session(caller, params.session_id),
  }),
  operation({
    id: 'stepping.integrity',
    group: 'Stepping',
    method: 'GET',
    path: '/gdw/integrity',
    alias: true,
    scope: 'integrity:read',
    summary: 'Re-walk the caller’s recorded steps with their receipts and effects, and say what holds',
    narrows: true,
    reply: readSchemas.IntegrityReply,
    errors: ['store_unavailable'],
    labels: ['MEASURED'],
    run: ({ caller }) => stepping.integrity(caller),
  }),
  operation({
    id: 'stepping.integrityGlobal',
    group: 'Stepping',
    method: 'GET',
    path: '/gdw/integrity/global',
    alias: true,
    scope: 'integrity:global',
    summary: 'Re-walk everybody’s recorded steps; sessions are named by a digest alone',
    narrows: true,
    reply: readSchemas.IntegrityReply,
    errors: ['store_unavailable'],
    labels: ['MEASURED'],
    run: () => stepping.integrity(null),
  }),
  operation({
    id: 'stepping.benchMeta',
    group: 'Stepping',
    method: 'GET',
    path: '/gdw/bench/meta',
    alias: true,
    scope: 'bench:read',
    summary: 'The risk table, constants and quotas, and the committed result of the bench',
    reply: readSchemas.BenchReply,
    labels: ['SAMPLE', 'UNAVAILABLE', 'MODELED'],
    async run({ caller }) {
      return { ...stepping.terms(caller), ...committedBench(await artifacts.text('bench-results')) }
    },
  }),
  operation({
    id: 'stepping.health',
    group: 'Stepping',
    method: 'GET',
    path: '/gdw/healthz',
    alias: true,
    scope: null,
    exempt: true,
    summary: 'Whether steps can be recorded now, and what stands in the way',
    reply: readSchemas.HealthReply,
    labels: ['MEASURED'],
    async run() {
      const { status, keyKind: key_kind, testedAt: tested_at } = signer()
      const drain = await effects.standing().catch(() => null)
      return { ...(await stepping.health()), auth_mode: authMode(), signer: { status, key_kind, tested_at }, drain }
    },
  }),
]
