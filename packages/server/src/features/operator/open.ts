/** The part of the composition root that lets the operator’s view look at the outbox, the event stream and the nodes. */

import type { Config } from '../../config/config.ts'
import { type Operation, Reply } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import { NOBODY } from '../readings/open.ts'
import { effectSpace } from '../stepping/outbox/effect-documents.ts'
import { onlyNode, Presence } from './io/presence.ts'

type OperatorPorts = Pick<Ports, 'outbox' | 'eventStream' | 'nodes'>

/** `operations` is asked when a stream is opened, which is after all of them are mounted. */
export const openOperator = (
  config: Config,
  { ledger, clock, background }: Pick<Ports, 'ledger' | 'clock' | 'background'>,
  operations: () => readonly Operation[],
): OperatorPorts => ({
  outbox: outboxOf(ledger.reader),
  eventStream: eventStreamOf(operations),
  nodes: config.store === 'postgres' ? keptPresence(new Presence(ledger, clock), background) : onlyNode,
})

function keptPresence(presence: Presence, background: Ports['background']): Presence {
  presence.keep(background)
  return presence
}

/** Effects of every namespace that has recorded anything: no effect comes without a receipt. */
const outboxOf = (reader: Ports['ledger']['reader']): Ports['outbox'] => ({
  async standing() {
    const namespaces = [...new Set((await reader.chains()).map(({ ns }) => ns))]
    const found = await Promise.all(
      namespaces.map(async (ns) => {
        const space = effectSpace(ns)
        const count = (state: string) => reader.countDocuments({ space, state })
        const [pending, claimed, deadLetters, [oldest]] = await Promise.all([
          count('PENDING'),
          count('CLAIMED'),
          count('DEAD_LETTER'),
          reader.documents({ space, state: 'PENDING', order: 'asc', limit: 1 }),
        ])
        return { pending, claimed, deadLetters, oldestDueAt: oldest?.rank ?? Number.POSITIVE_INFINITY }
      }),
    )
    const sum = (of: (one: (typeof found)[number]) => number) => found.reduce((total, one) => total + of(one), 0)
    const oldest = found.reduce((least, { oldestDueAt }) => Math.min(least, oldestDueAt), Number.POSITIVE_INFINITY)
    return {
      pending: sum(({ pending }) => pending),
      claimed: sum(({ claimed }) => claimed),
      deadLetters: sum(({ deadLetters }) => deadLetters),
      oldestDueAt: Number.isFinite(oldest) ? oldest : null,
    }
  },
})

/** The stream that clients get, from the very operation that serves it. */
const eventStreamOf =
  (operations: () => readonly Operation[]): Ports['eventStream'] =>
  async (after, signal) => {
    const op = operations().find(({ id }) => id === 'receipts.events')
    const answer = await op?.run({ ...NOBODY, query: { after }, signal } as never)
    if (!(answer instanceof Reply)) throw new Error('no event stream is mounted')
    return answer.body as AsyncIterable<string | Uint8Array>
  }
