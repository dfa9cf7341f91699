import { APPENDING } from '../../errors.ts'
import { API_PREFIX, operation } from '../../operation.ts'
import { once } from '../../platform/once.ts'
import type { Ports } from '../../ports.ts'
import * as drafts from './drafts.ts'
import { CLAIM_EXAMPLE, QUBO_EXAMPLE, RECEIPT_EXAMPLE, SCORE_EXAMPLE, SHOT_PLAN_EXAMPLE } from './examples.ts'
import { BASELINE, REPLAY, RUPTURE_GATE, SCORE, SHOT_PLAN } from './identifiers.ts'
import { describeSurface } from './info.ts'
import type { QuantumUtilityPort } from './ports.ts'
import * as replies from './replies.ts'
import * as schemas from './schemas.ts'

type Deps = Pick<Ports, 'clock' | 'recorder'> & { quantumUtility: QuantumUtilityPort }

const KIB = 1024
const SURFACE = '/quantum-utility'
const analysing = {
  group: 'Research',
  method: 'POST',
  scope: 'analysis:run',
  emptyBody: 'example',
  errors: ['compute_busy', 'compute_timeout', ...APPENDING],
} as const
const sized = { bodyLimit: 256 * KIB, bodyValues: 128 * KIB }
/** These carry a whole receipt. */
const withReceipt = { bodyLimit: 1024 * KIB, bodyValues: 512 * KIB }

/** Classical baselines, plans and checks around quantum computing. Nothing quantum is run. */
export const quantumUtility = ({ quantumUtility, clock, recorder }: Deps) => [
  operation({
    ...{ group: 'Research', method: 'GET', scope: null },
    id: 'quantumUtility.info',
    path: '/quantum-utility/info',
    summary: 'Operations, bounds, methods and non-goals of the quantum utility surface',
    reply: replies.InfoReply,
    labels: ['STRUCTURAL-ONLY'],
    run: () => describeSurface(`${API_PREFIX}${SURFACE}`),
  }),
  operation({
    ...{ ...analysing, ...sized },
    id: BASELINE,
    path: '/quantum-utility/qubo/baseline',
    summary: 'Minimise a QUBO classically: the certified minimum, or the best found with a bound and its gap',
    description:
      'Components of up to 24 variables are enumerated, up to 60 closed by branch and bound where the budget suffices; what is larger is searched by tabu search and not certified. Work is counted, not timed: the same request gives the same result on every machine.',
    body: schemas.QuboBody,
    reply: replies.BaselineReply,
    labels: ['MEASURED', 'MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
    example: { body: QUBO_EXAMPLE },
    run(call) {
      const prepared = once(() => drafts.baselineDraft(quantumUtility, call))
      return recorder.record(call, BASELINE, { decide: async () => (await prepared())() })
    },
  }),
  operation({
    ...{ ...analysing, ...sized },
    id: SHOT_PLAN,
    path: '/quantum-utility/hamiltonian/shot-plan',
    summary: 'Divide shots among commuting groups of Pauli terms so that the variance of the energy is least',
    description: 'Covariances within a group are taken as 0; variance_upper_bound holds whatever they are.',
    body: schemas.ShotPlanBody,
    bodyRule: { anyOf: [{ required: ['shot_budget'] }, { required: ['target_standard_error'] }] },
    reply: replies.ShotPlanReply,
    labels: ['MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
    example: { body: SHOT_PLAN_EXAMPLE },
    run: (call) => recorder.record(call, SHOT_PLAN, { decide: () => drafts.shotPlanDraft(quantumUtility, call) }),
  }),
  operation({
    ...{ ...analysing, ...sized },
    id: SCORE,
    path: '/quantum-utility/counterfactual/score',
    summary: 'Margins of candidates in exact decimals, with intervals, break-even points and what is unknown',
    body: schemas.ScoreBody,
    reply: replies.ScoreReply,
    labels: ['MODELED', 'SAMPLE', 'SIMULATED', 'STRUCTURAL-ONLY'],
    example: { body: SCORE_EXAMPLE },
    run: (call) => recorder.record(call, SCORE, { decide: () => drafts.scoreDraft(quantumUtility, call) }),
  }),
  operation({
    ...{ ...analysing, ...withReceipt },
    id: RUPTURE_GATE,
    path: '/quantum-utility/claim/rupture-gate',
    summary: 'Hold a claim of quantum advantage to twelve rules; it is never verified, authorised or published here',
    description: 'The classical baseline is solved again and timed now; what it took is kept for a replay.',
    body: schemas.ClaimBody,
    reply: replies.RuptureReply,
    labels: ['MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
    example: { body: CLAIM_EXAMPLE },
    run(call) {
      const prepared = once(() => drafts.ruptureDraft({ quantumUtility, clock }, call))
      return recorder.record(call, RUPTURE_GATE, { decide: prepared })
    },
  }),
  operation({
    ...{ ...analysing, ...withReceipt },
    id: REPLAY,
    path: '/quantum-utility/receipt/replay',
    summary: 'Check the digests of a replay receipt and compute its output again',
    body: schemas.ReplayReceipt,
    reply: replies.ReplayReply,
    labels: ['MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
    example: { body: RECEIPT_EXAMPLE },
    run: (call) => recorder.record(call, REPLAY, { decide: () => drafts.replayDraft(quantumUtility, call) }),
  }),
]
