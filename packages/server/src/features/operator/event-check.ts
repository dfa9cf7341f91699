/** Whether the event stream delivers. A subscriber that claims to know an index beyond the ledger gets an event of
 *  its own kind that says so: it is no receipt, it goes to no other client, and it repeats the number that only this check knows. */
import type { Outcome } from './checks.ts'

/** Beyond any index a ledger reaches, and exact as a number with a time added to it. */
const BEYOND = 2 ** 52

/** Subscribes in process to the stream of receipts that clients get, after the given index. The stream ends when `signal`
 *  aborts. */
export type EventStream = (after: number, signal: AbortSignal) => Promise<AsyncIterable<string | Uint8Array>>

export async function hearTestEvent(open: EventStream, now: number, signal: AbortSignal): Promise<Outcome> {
  const known = BEYOND + now
  const leaving = new AbortController()
  const stream = await open(known, AbortSignal.any([signal, leaving.signal]))
  try {
    for await (const chunk of stream) return heard(String(chunk), known)
    return heard('', known)
  } finally {
    leaving.abort()
  }
}

function heard(chunk: string, known: number): Outcome {
  const event = /^event: (\w+)$/m.exec(chunk)?.[1] ?? null
  const healthy = event === 'reset' && chunk.includes(`"known":${known}`)
  const reason = healthy ? null : 'the subscriber did not get the test event'
  return { healthy, reason, evidence: { event, repeated_the_number: healthy } }
}
