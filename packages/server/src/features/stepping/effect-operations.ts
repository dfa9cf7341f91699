import Type from 'typebox'
import { APPENDING } from '../../errors.ts'
import { type Operation, operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import * as schemas from './effect-schemas.ts'

type Deps = Pick<Ports, 'effects' | 'steppingMetrics'>

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'

/** What an operator does with effects: send what is due, bring back what failed, watch. */
export const effectOperations = ({ effects, steppingMetrics }: Deps): Operation[] => [
  operation({
    id: 'stepping.drain',
    group: 'Stepping',
    method: 'POST',
    path: '/gdw/drain',
    alias: true,
    scope: 'effects:drain',
    summary: 'Deliver the due effects of the caller’s namespace now, oldest first',
    description:
      'The service does this by itself every five seconds. Workers on several nodes share the work: an effect that another one holds is left to it. After 20 seconds no further effect is taken, and due_remaining says what is left.',
    query: schemas.EffectLimit,
    body: schemas.NoBody,
    emptyBody: 'optional',
    reply: schemas.DrainReply,
    errors: APPENDING,
    labels: ['MEASURED', 'STRUCTURAL-ONLY'],
    example: { query: { limit: 100 }, body: {} },
    run: (call) => effects.drain(call, call.query.limit!),
  }),
  operation({
    id: 'stepping.recoverTransientEffects',
    group: 'Stepping',
    method: 'POST',
    path: '/gdw/recovery/transient-effects',
    alias: true,
    scope: ['effects:recover', 'integrity:global'],
    summary: 'Make effects due again that failed for a passing reason, with an audit receipt in the same commit',
    description:
      'Waiting effects become due at once; dead letters, three times at most, get one more attempt. Held effects and permanent or unclassified failures are counted and left alone.',
    query: schemas.EffectLimit,
    requestHeaders: schemas.RecoveryHeaders,
    body: schemas.NoBody,
    emptyBody: 'optional',
    reply: schemas.RecoveryReply,
    errors: ['source_revision_mismatch', 'integrity_not_verified', 'state_conflict', ...APPENDING],
    labels: ['MEASURED', 'STRUCTURAL-ONLY'],
    example: { query: { limit: 100 }, body: {} },
    run: (call) => effects.recover(call, { limit: call.query.limit!, expected: expectedRevision(call.headers) }),
  }),
  operation({
    id: 'stepping.metrics',
    group: 'Stepping',
    method: 'GET',
    path: '/gdw/metrics',
    alias: true,
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
