import { TOOL_EFFECTS } from '../../domain/tools/effects.ts'
import { APPENDING, EXAMINING } from '../../errors.ts'
import { type Call, operation } from '../../operation.ts'
import { once } from '../../platform/once.ts'
import { LOOP } from './decision-requests.ts'
import { runLoop } from './loop.ts'
import { type LoopRequest, loopRequest } from './request.ts'
import { FORMS } from './rules/grammar.ts'
import { PLANNER } from './rules/planner.ts'
import { claimsOf } from './run-claim.ts'
import { toAnswer, toReceipt, withMaster } from './run-record.ts'
import type { Deps } from './run-state.ts'
import { LoopBody, LoopReply } from './schemas.ts'
import { assertTarget } from './upstream-planner.ts'

const GRAMMAR = FORMS.map(({ tool, written }) => `- \`${written}\`: ${tool}`).join('\n')
const TOOLS = Object.entries(TOOL_EFFECTS)
  .map(([name, effect]) => `\`${name}\` (${effect})`)
  .join(', ')

const DESCRIPTION = `Step 0 decides on the goal, the reasoning, the context and whatever else was sent; then every call is planned, gated, run, observed and recorded, one receipt each, and a master receipt holds the RFC 6962 root over their digests. A refusal is an answer, not an error. Arguments that carry 16 or more code points of an observation go to review for any tool beyond read.

Tools: ${TOOLS}. Callers register none and state no effects.

Without a \`plan\`, \`${PLANNER}\` reads the goal clause by clause (line end, \`;\`, \`then\`, end of sentence; not inside double quotes):
${GRAMMAR}

The same request with the \`review_id\` of an approved review goes on at the step that was held. \`dry_run\` plans and gates, runs no tool and records nothing.`

/** Gated, observed and recorded step by step: what an agent does here, it does in front of the pipeline. */
export const agent = (deps: Deps) => [
  operation({
    id: LOOP,
    group: 'Governance',
    method: 'POST',
    path: '/agent/loop',
    scope: 'agent:run',
    summary: 'Run an agent loop in which every step is decided, recorded and verifiable',
    description: DESCRIPTION,
    body: LoopBody,
    bodyRule: { anyOf: [{ required: ['goal'] }, { required: ['task'] }, { required: ['action'] }] },
    bodyLimit: 256 * 1024,
    emptyBody: 'refuse',
    reply: LoopReply,
    errors: [...EXAMINING, 'state_conflict', ...APPENDING],
    labels: ['MEASURED', 'MODELED', 'STRUCTURAL-ONLY'],
    example: { body: { goal: 'calculate 2+3*4 then hash "hello"' } },
    async run(call) {
      const request = loopRequest(call.body)
      assertTarget(deps.upstreams, request)
      if (request.dryRun) return dryRun(deps, call, request)
      const id = newId()
      const claims = claimsOf(deps, call, id)
      // A run happens once, however often its receipt is tried.
      const ended = once(() => runLoop(deps, call, request, id, claims))
      return deps.recorder.record(call, LOOP, {
        decide: async () => ({ ended: await ended(), end: await claims.end() }),
        toReceipt: ({ ended, end }) => toReceipt(ended, end),
        toReply: withMaster,
      })
    },
  }),
]

async function dryRun(deps: Deps, call: Call, request: LoopRequest) {
  const unclaimed = { claim: async () => null, end: async () => null }
  return { ...toAnswer(await runLoop(deps, call, request, newId(), unclaimed)), master_receipt: null, receipt: null }
}

const newId = (): string => `run_${crypto.randomUUID().replaceAll('-', '')}`
