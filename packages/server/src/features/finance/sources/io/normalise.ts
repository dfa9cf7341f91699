/** What is made of a reply by its plan, on the main thread or in another one. */
import { type ApartReply, replyApart } from '../../../../adapters/outbound/apart.ts'
import { OutboundFault } from '../../../../adapters/outbound/contract.ts'
import { parseReply } from '../../../../adapters/outbound/json-reply.ts'
import type { SourceId } from '../../../../domain/observation.ts'
import type { JobContext } from '../../../../platform/compute/job.ts'
import { SourceFault } from '../fields.ts'
import type { Values } from '../parameters.ts'
import type { Plan } from '../source.ts'
import { sourceTable } from '../table.ts'

export const normaliseReply = ({ normalise }: Plan, reply: unknown): object => {
  try {
    return normalise(reply)
  } catch (error) {
    throw error instanceof SourceFault ? new OutboundFault(error.code) : error
  }
}

/** A plan cannot be sent to a thread: it is made there anew, of what it was made of. */
export interface PlanParams {
  source: SourceId
  values: Values
  now: number
  alpacaFeed: string
}

/** The job. */
export function normaliseLarge(
  { source, values, now, alpacaFeed }: PlanParams,
  context: JobContext,
): ApartReply<object> {
  const plan = sourceTable(alpacaFeed).get(source)!.plan(values, now)
  return replyApart(() => normaliseReply(plan, parseReply(context.bytes!, true, plan.members)))
}
