import Type from 'typebox'
import { APPENDING, EXAMINING } from '../../errors.ts'
import { type Operation, operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import type { Effects, Stepping } from './contract.ts'
import * as effectSchemas from './effect-schemas.ts'
import * as readSchemas from './read-schemas.ts'
import * as schemas from './schemas.ts'
import { stepAsked } from './step-request.ts'
import { committedBench } from './terms.ts'

interface Deps extends Pick<Ports, 'signer' | 'authMode' | 'artifacts'> {
  stepping: Stepping
  effects: Effects
  /** The series of this service in the Prometheus text format. */
  steppingMetrics: { text(): Promise<string> }
}

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'
const writing = { group: 'Stepping', method: 'POST', alias: true } as const
const reading = { group: 'Stepping', method: 'GET', alias: true } as const

/** Requests stepped one after the other in sessions with a budget of risk; every decision leaves a receipt. And what an
 *  operator does with their effects: send what is due, bring back what failed, watch. */
export const stepping = ({ stepping, effects, steppingMetrics, signer, authMode, artifacts }: Deps): Operation[] => [
  operation({
    ...writing,
    id: 'stepping.step',
    path: '/gdw/step',
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
      ...EXAMINING,
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
    ...reading,
    id: 'stepping.session',
    path: '/gdw/sessions/:session_id',
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
    ...reading,
    id: 'stepping.integrity',
    path: '/gdw/integrity',
    scope: 'integrity:read',
    summary: 'Re-walk the caller’s recorded steps with their receipts and effects, and say what holds',
    narrows: true,
    reply: readSchemas.IntegrityReply,
    errors: ['store_unavailable'],
    labels: ['MEASURED'],
    run: ({ caller }) => stepping.integrity(caller),
  }),
  operation({
    ...reading,
    id: 'stepping.integrityGlobal',
    path: '/gdw/integrity/global',
    scope: 'integrity:global',
    summary: 'Re-walk everybody’s recorded steps; sessions are named by a digest alone',
    narrows: true,
    reply: readSchemas.IntegrityReply,
    errors: ['store_unavailable'],
    labels: ['MEASURED'],
    run: () => stepping.integrity(null),
  }),
  operation({
    ...reading,
    id: 'stepping.benchMeta',
    path: '/gdw/bench/meta',
    scope: 'bench:read',
    summary: 'The risk table, constants and quotas, and the committed result of the bench',
    reply: readSchemas.BenchReply,
    labels: ['SAMPLE', 'UNAVAILABLE', 'MODELED'],
    async run({ caller }) {
      return { ...stepping.terms(caller), ...committedBench(await artifacts.text('bench-results')) }
    },
  }),
  operation({
    ...reading,
    id: 'stepping.health',
    path: '/gdw/healthz',
    scope: null,
    exempt: true,
    summary: 'Whether steps can be recorded now, and what stands in the way',
    reply: readSchemas.HealthReply,
    labels: ['MEASURED'],
    async run() {
      const { status, keyKind: key_kind, testedAt: tested_at } = signer()
      const drain = await effects.status().catch(() => null)
      return { ...(await stepping.health()), auth_mode: authMode(), signer: { status, key_kind, tested_at }, drain }
    },
  }),
  operation({
    ...writing,
    id: 'stepping.drain',
    path: '/gdw/drain',
    scope: 'effects:drain',
    summary: 'Deliver the due effects of the caller’s namespace now, oldest first',
    description:
      'The service does this by itself every five seconds. Workers on several nodes share the work: an effect that another one holds is left to it. After 20 seconds no further effect is taken, and due_remaining says what is left.',
    query: effectSchemas.EffectLimit,
    body: effectSchemas.EmptyBody,
    emptyBody: 'optional',
    reply: effectSchemas.DrainReply,
    errors: APPENDING,
    labels: ['MEASURED', 'STRUCTURAL-ONLY'],
    example: { query: { limit: 100 }, body: {} },
    run: (call) => effects.drain(call, call.query.limit!),
  }),
  operation({
    ...writing,
    id: 'stepping.recoverTransientEffects',
    path: '/gdw/recovery/transient-effects',
    scope: ['effects:recover', 'integrity:global'],
    summary: 'Make effects due again that failed for a passing reason, with an audit receipt in the same commit',
    description:
      'Waiting effects become due at once; dead letters, three times at most, get one more attempt. Held effects and permanent or unclassified failures are counted and left alone.',
    query: effectSchemas.EffectLimit,
    requestHeaders: effectSchemas.RecoveryHeaders,
    body: effectSchemas.EmptyBody,
    emptyBody: 'optional',
    reply: effectSchemas.RecoveryReply,
    errors: ['source_revision_mismatch', 'integrity_not_verified', 'state_conflict', ...APPENDING],
    labels: ['MEASURED', 'STRUCTURAL-ONLY'],
    example: { query: { limit: 100 }, body: {} },
    run: (call) => effects.recover(call, { limit: call.query.limit!, expected: expectedRevision(call.headers) }),
  }),
  operation({
    ...reading,
    id: 'stepping.metrics',
    path: '/gdw/metrics',
    scope: 'metrics:read',
    summary: 'Decisions, receipts, effects and refusals of governed stepping as Prometheus text',
    reply: Type.String(),
    produces: 'text/plain',
    errors: ['store_unavailable'],
    labels: ['MEASURED'],
    run: async () => new Reply(await steppingMetrics.text(), { type: PROMETHEUS }),
  }),
]

const expectedRevision = (headers: Readonly<Record<string, string | string[] | undefined>>): string | null => {
  const given = headers['x-expected-source-revision']
  return typeof given === 'string' ? given.toLowerCase() : null
}
