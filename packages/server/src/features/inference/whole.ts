/** When a request that is answered in one piece is given up. */
import type { Call } from '../../operation.ts'

/** A client that named its request will come back for the answer, and a target is asked once for each name: it goes on
 *  without the client. Any other answer nobody waits for is not made. */
export const patientSignal = ({ headers, signal }: Pick<Call, 'headers' | 'signal'>): AbortSignal =>
  headers['idempotency-key'] === undefined ? signal : new AbortController().signal
