/** The part of the composition root that lets the operator’s view look at the event stream and the nodes. */

import type { Config } from '../../config/config.ts'
import { type Operation, runInProcess } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { onlyNode, Presence } from './io/presence.ts'

type OperatorPorts = Pick<Ports, 'eventStream' | 'nodes'>

/** `operations` is asked when a stream is opened, which is after all of them are mounted. */
export const openOperator = (
  config: Config,
  { ledger, clock, background }: Pick<Ports, 'ledger' | 'clock' | 'background'>,
  operations: () => readonly Operation[],
): OperatorPorts => ({
  eventStream: eventStreamOf(operations),
  nodes: config.store === 'postgres' ? keptPresence(new Presence(ledger, clock), background) : onlyNode,
})

function keptPresence(presence: Presence, background: Ports['background']): Presence {
  presence.keep(background)
  return presence
}

/** The stream that clients get, from the very operation that serves it. */
const eventStreamOf =
  (operations: () => readonly Operation[]): Ports['eventStream'] =>
  async (after, signal) => {
    const operation = operations().find(({ id }) => id === 'receipts.events')
    if (operation === undefined) throw new Error('no event stream is mounted')
    const answer = await runInProcess(operation, { after }, signal)
    return answer.body as AsyncIterable<string | Uint8Array>
  }
