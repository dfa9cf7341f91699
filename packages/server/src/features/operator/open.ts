/** The part of the composition root that lets the operator's view look at the event stream and the nodes. */

import type { Config } from '../../config/config.ts'
import { type Operation, runInProcess } from '../../operation.ts'
import type { Nodes, Ports } from '../../ports.ts'
import type { EventStream } from './checks.ts'
import { onlyNode, Presence } from './io/presence.ts'

/** `operations` is asked when a stream is opened, which is after all of them are mounted. */
export const openOperator = (
  config: Config,
  { ledger, clock, background }: Pick<Ports, 'ledger' | 'clock' | 'background'>,
  operations: () => readonly Operation[],
): { eventStream: EventStream; nodes: Nodes } => ({
  eventStream: eventStreamOf(operations),
  nodes: config.store === 'postgres' ? keepPresence(new Presence(ledger, clock), background) : onlyNode,
})

function keepPresence(presence: Presence, background: Ports['background']): Presence {
  presence.keep(background)
  return presence
}

/** The stream that clients get, from the very operation that serves it. */
const eventStreamOf =
  (operations: () => readonly Operation[]): EventStream =>
  async (after, signal) => {
    const operation = operations().find(({ id }) => id === 'receipts.events')
    if (operation === undefined) throw new Error('no event stream is mounted')
    const answer = await runInProcess(operation, { after }, signal)
    return answer.body as AsyncIterable<string | Uint8Array>
  }
