import { withEvidence } from '../../domain/evidence.ts'
import { EnvelopeQuery } from '../../domain/wire.ts'
import { APPENDING } from '../../errors.ts'
import { type Call, operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { answerOf, domainOf, draftOf, GOVERN, matterOf } from './govern.ts'
import { DecisionReply, GovernBody, type GovernInput } from './schemas.ts'

/** Texts are examined once, however often the decision is taken again, and not at all for a replay. */
const once = <T>(work: () => Promise<T>) => {
  let begun: Promise<T> | null = null
  return () => {
    begun ??= work()
    return begun
  }
}

type Deps = Pick<Ports, 'governance' | 'recorder' | 'clock' | 'ledger'>

/** Asking before acting: one text in, allow, review or deny out, with every reason and number it came from. */
export const governance = ({ governance, recorder, clock, ledger }: Deps) => {
  const decidedOn = async (
    { body, inputSource }: Call<unknown, unknown, GovernInput>,
    text: string,
    examining: () => ReturnType<typeof governance.examine>,
    dryRun: boolean,
  ) => ({
    ...{ body, inputSource, domain: domainOf(body, text) },
    determination: await governance.decide(await examining(), { dryRun, payload: { request: body } }),
    ts: new Date(clock.now()).toISOString(),
  })

  return [
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
      errors: ['gates_unavailable', 'state_conflict', ...APPENDING],
      labels: ['MEASURED', 'MODELED', 'UNAVAILABLE'],
      example: { body: { text: 'What is the capital of France?' } },
      async run(call) {
        const { body, query, caller } = call
        const matter = matterOf(body, caller)
        const examining = once(() => governance.examine(matter))
        const decided = (dryRun: boolean) => decidedOn(call, matter.text, examining, dryRun)
        if (body.dry_run === true) return { ...answerOf(await decided(true)), receipt: null }
        const coversAnswer = query.envelope === true
        const work = async () => {
          const governed = await decided(false)
          const recorded = ({ seq }: { seq: number }) => governance.recorded(governed.determination, seq)
          return { ...draftOf(governed), recorded, coversAnswer }
        }
        return recorder.record(call, GOVERN, work, coversAnswer ? withEvidence(ledger) : undefined)
      },
    }),
  ]
}
