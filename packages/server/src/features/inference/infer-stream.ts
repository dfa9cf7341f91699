/** A governed inference as server-sent events: decision, token, halt, done. */
import type { Channel } from './channel.ts'
import type { ChatOutcome } from './chat-reply.ts'
import type { Settled } from './settle.ts'
import { failureOf, PING, type Piece } from './stream.ts'

const eventOf = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

export async function* inferEvents(
  channel: Channel<Piece>,
  { judged, receipt }: Settled,
  reply: (outcome: ChatOutcome) => object,
  requestId: string,
): AsyncGenerator<string> {
  const { decision, reasons, sensitivity, lambda } = judged.view
  yield eventOf('decision', { decision, reasons, sensitivity, lambda, review: judged.review, receipt })
  for (;;) {
    const piece = await channel.next()
    if (piece === null) return
    if (piece === 'ping') yield PING
    else yield eventsOf(piece, reply, requestId)
  }
}

function eventsOf(piece: Piece, reply: (outcome: ChatOutcome) => object, requestId: string): string {
  switch (piece.kind) {
    case 'begun':
      return ': answering\n\n'
    case 'delta':
      return eventOf('token', { delta: piece.text })
    case 'failed':
      return eventOf('error', failureOf(piece.error, requestId))
    case 'done':
      return endOf(piece, reply)
  }
}

function endOf({ outcome, rest }: Piece & { kind: 'done' }, reply: (outcome: ChatOutcome) => object): string {
  const token = rest === '' ? '' : eventOf('token', { delta: rest })
  const refused = outcome.output !== null && outcome.decision !== 'allow'
  const halt = refused ? eventOf('halt', { reasons: outcome.reasons, decision: outcome.decision }) : ''
  return `${token}${halt}${eventOf('done', reply(outcome))}`
}
