import { toComputeRefusal } from '../../domain/compute-refusal.ts'
import { APPENDING } from '../../errors.ts'
import { operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { toBurgersReply, toInput } from './burgers/reply.ts'
import type { Pinn } from './contract.ts'
import { EXAMPLE, IDENTIFY, identification, identifyDraft } from './identify/draft.ts'
import * as schemas from './schemas.ts'

const reading = { group: 'Research', method: 'GET', scope: null } as const
const COMPUTED = ['compute_busy', 'compute_timeout'] as const
const KIB = 1024
const MAX_VALUES = 2_048

/** Equations solved and identified with their errors: what is not right says so, and no network runs in a request. */
export const pinn = ({ pinn: port, recorder }: Pick<Ports, 'recorder'> & { pinn: Pinn }) => [
  operation({
    ...reading,
    id: 'pinn.burgers',
    path: '/pinn/burgers',
    summary: 'Steady Burgers by collocation, with its error against the exact solution',
    description:
      'Converged means that Newton’s method, the comparison with twice as many nodes and the exact solution agree within 0.001. Where they do not, the reply says why and shows no values unless include_unconverged asks for them.',
    query: schemas.BurgersQuery,
    reply: schemas.BurgersReply,
    labels: ['MODELED'],
    errors: COMPUTED,
    example: { query: { nu: 0.05, N: 48, include_unconverged: false } },
    async run({ query, signal }) {
      const input = toInput(query)
      const computed = await port.burgers(input, { signal }).catch((error: unknown) => {
        throw toComputeRefusal(error, 'query')
      })
      return toBurgersReply(input, computed, query.include_unconverged)
    },
  }),
  operation({
    ...reading,
    id: 'pinn.bench',
    path: '/pinn/bench',
    summary: 'Direct solvers beside a tuned network, as measured once by npm run bench:pinn; nothing is run here',
    reply: schemas.BenchReply,
    labels: ['SAMPLE', 'ROADMAP'],
    errors: ['artifact_digest_mismatch'],
    run: () => port.bench(),
  }),
  operation({
    ...reading,
    id: 'pinn.identifyExample',
    path: '/pinn/identify',
    alias: true,
    summary: 'The example of the identification: a Duffing oscillator with 1 % noise',
    reply: schemas.IdentifyReply,
    labels: ['SIMULATED'],
    errors: COMPUTED,
    run: ({ signal }) => identification(port, EXAMPLE, 'DEFAULT_EXAMPLE', signal),
  }),
  operation({
    group: 'Research',
    method: 'POST',
    id: IDENTIFY,
    path: '/pinn/identify',
    alias: true,
    scope: 'analysis:run',
    summary:
      'Identify parameters of a differential equation or a mixture from data, and refuse those that the data cannot tell',
    description:
      'Without data an example of the system is made from a known truth. Parameters are refused one by one: the others keep their values and intervals.',
    emptyBody: 'example',
    body: schemas.IdentifyBody,
    bodyLimit: 256 * KIB,
    bodyValues: MAX_VALUES,
    reply: schemas.IdentifyRecorded,
    labels: ['SIMULATED', 'MODELED', 'STRUCTURAL-ONLY'],
    errors: [...COMPUTED, ...APPENDING],
    example: { body: EXAMPLE },
    run: (call) => recorder.record(call, IDENTIFY, { decide: () => identifyDraft(port, call) }),
  }),
  operation({
    ...reading,
    id: 'pinn.health',
    path: '/pinn/health',
    alias: true,
    summary: 'Two known answers computed now, the systems that can be identified, and whether the comparison is intact',
    description: 'A self test that fails is answered with 503 and the same body.',
    reply: schemas.PinnHealth,
    labels: ['MEASURED'],
    async run() {
      const body = await port.health()
      return body.ok ? body : new Reply(body, { status: 503 })
    },
  }),
]
