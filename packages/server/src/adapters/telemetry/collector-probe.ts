/** Whether the collector takes trace requests: an empty one, valid in itself, is posted and only its status is read. */
import { openExchange } from '../outbound/transport.ts'

const DEADLINE_MS = 5_000
const EMPTY_REQUEST = '{"resourceSpans":[]}'

/** A collector stands inside the operator's network as often as not, so its own host may resolve to a private address. */
export async function collectorAnswers(url: string, headers: Record<string, string>): Promise<boolean> {
  const signal = AbortSignal.timeout(DEADLINE_MS)
  try {
    const response = await openExchange({ url, body: EMPTY_REQUEST, headers, signal }, [new URL(url).hostname])
    response.destroy()
    const { statusCode = 0 } = response
    return statusCode >= 200 && statusCode < 300
  } catch {
    // Refused, denied or too slow: for the reader all of it is one thing, no answer.
    return false
  }
}
