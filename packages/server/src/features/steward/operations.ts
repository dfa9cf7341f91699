import { operation, Reply } from '../../operation.ts'
import type { Steward } from './contract.ts'
import { StewardProposals, StewardStatus } from './schemas.ts'
import { toProposals, toStatus } from './surface.ts'

const shared = {
  group: 'Operations',
  method: 'GET',
  scope: null,
  example: {},
  /** Nobody who tries to change something here is left in doubt. */
  surface: { prefix: '/steward', refusal: { mutation_policy: 'PROPOSAL_ONLY' } },
} as const

/** An audit of the running service, and what its findings would have somebody try. Nothing here changes anything. */
export const steward = ({ steward: port }: { steward: Steward }) => [
  operation({
    ...shared,
    id: 'steward.status',
    path: '/steward/status',
    summary: 'An audit of this service, made now: chains, routes, formulas, artifacts, load and dependencies',
    description:
      'Twelve checks within 2 s; an audit that began up to 10 s earlier is shared and then says SAMPLE. Nothing is appended, fetched or changed. An audit that failed is told with the last one as STALE, for two hours.',
    reply: StewardStatus,
    labels: ['MEASURED', 'SAMPLE', 'UNAVAILABLE'],
    async run() {
      const { observed, around } = await port.observe()
      const { status, body } = toStatus(observed, around)
      return new Reply(body, { status })
    },
  }),
  operation({
    ...shared,
    id: 'steward.proposals',
    path: '/steward/proposals',
    summary: 'What the findings of the audit would have somebody try; empty while everything passes',
    description:
      'One declared rule for each check that does not pass, by priority, at most 20. The id is a digest of the rule and its evidence, so the same finding is the same proposal.',
    reply: StewardProposals,
    labels: ['MODELED'],
    async run() {
      const { observed, around } = await port.observe()
      const { status, body } = toProposals(observed, around)
      return new Reply(body, { status })
    },
  }),
]
