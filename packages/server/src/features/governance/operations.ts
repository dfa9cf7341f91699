import type { Static } from 'typebox'
import { withEvidence } from '../../domain/evidence.ts'
import { EnvelopeQuery } from '../../domain/wire.ts'
import { APPENDING, EXAMINING } from '../../errors.ts'
import type { DecisionRequest } from '../../governance/contract.ts'
import { type Call, operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import { once } from '../../platform/once.ts'
import type { Ports } from '../../ports.ts'
import { GOVERN, type Governed, toAnswer, toDecisionRequest, toDomain, toReceipt } from './govern.ts'
import { DecisionReply, GovernBody, type GovernInput } from './schemas.ts'

type Deps = Pick<Ports, 'governance' | 'recorder' | 'clock' | 'ledger'>
type GovernCall = Call<unknown, Static<typeof EnvelopeQuery>, GovernInput>

/** Decides on what is stored when it is asked. */
function decider({ governance, clock }: Deps, { body, inputSource }: GovernCall, decisionRequest: DecisionRequest) {
  // Texts are examined once, however often the decision is taken again, and not at all for a replay.
  const examine = once(() => governance.examine(decisionRequest))
  return async (dryRun: boolean): Promise<Governed> => ({
    body,
    inputSource,
    domain: toDomain(body, decisionRequest.text),
    determination: await governance.decide(await examine(), { dryRun, payload: { request: body } }),
    ts: isoNow(clock),
  })
}

/** An example charges nothing, opens no review and is counted nowhere, though it is recorded as what it is. */
function recordDecision({ recorder, governance, ledger }: Deps, call: GovernCall, decide: ReturnType<typeof decider>) {
  const isExample = call.inputSource === 'DEFAULT_EXAMPLE'
  const coversAnswer = call.query.envelope === true
  return recorder.record(call, GOVERN, {
    decide: () => decide(isExample),
    toReceipt: (governed) => ({
      ...toReceipt(governed),
      coversAnswer,
      recorded({ seq }) {
        if (!isExample) governance.recorded(governed.determination, seq, 'decision')
      },
    }),
    toReply: coversAnswer ? withEvidence(ledger) : undefined,
  })
}

/** Asking before acting: one text in, allow, review or deny out, with every reason and number it came from. */
export const governance = (deps: Deps) => [
  operation({
    id: GOVERN,
    group: 'Governance',
    method: 'POST',
    path: '/wow/govern',
    alias: true,
    scope: 'decisions:write',
    summary: 'Decide on a text: allow, review or deny, with a signed receipt',
    description:
      'Runs every gate, the policies, the session’s risk budget and lambda, and answers with the meet of their verdicts. A refusal is an answer, not an error. `dry_run` decides and records nothing. With `envelope=1` the reply carries envelope, proof and signed checkpoint: saved as it is, it verifies offline.',
    query: EnvelopeQuery,
    body: GovernBody,
    bodyLimit: 256 * 1024,
    emptyBody: 'example',
    reply: DecisionReply,
    errors: [...EXAMINING, 'state_conflict', ...APPENDING],
    labels: ['MEASURED', 'MODELED', 'STRUCTURAL-ONLY', 'UNAVAILABLE'],
    example: { body: { text: 'What is the capital of France?' } },
    async run(call) {
      const decisionRequest = toDecisionRequest(call.body, call.caller)
      const decide = decider(deps, call, decisionRequest)
      if (call.body.dry_run === true) return { ...toAnswer(await decide(true)), receipt: null }
      return deps.governance.inTurn(decisionRequest, call, () => recordDecision(deps, call, decide))
    },
  }),
]
