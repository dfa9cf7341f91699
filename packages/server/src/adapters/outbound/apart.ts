/** Large bodies are read in a thread of the compute pool, parsed and normalised there: what comes back is small. */
import { ComputeError, type Job } from '../../platform/compute/job.ts'
import { type FailureCode, type Limits, OutboundFault } from './contract.ts'

/** What the thread answers: a fault does not cross threads as what it is. */
export type ApartReply<T> = { ok: true; value: T } | { ok: false; code: FailureCode }

/** In the thread. */
export function replyApart<T>(work: () => T): ApartReply<T> {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    if (error instanceof OutboundFault) return { ok: false, code: error.code }
    throw error
  }
}

/** On the main thread: the body goes to the job beside its parameters. */
export const normaliseBy =
  <Params extends object, T>(
    job: Job<Params & { bytes_sha256: string }, ApartReply<T>>,
    params: Params,
  ): NonNullable<Limits<T>['normaliseApart']> =>
  async ({ bytes, sha256 }, signal) => {
    const { value: reply } = await job({ ...params, bytes_sha256: sha256 }, { bytes, signal }).catch(refuse)
    if (!reply.ok) throw new OutboundFault(reply.code)
    return reply.value
  }

const CODES: Readonly<Partial<Record<ComputeError['code'], FailureCode>>> = {
  memory_exceeded: 'RESPONSE_TOO_LARGE',
  result_too_large: 'RESPONSE_TOO_LARGE',
  deadline_exceeded: 'RESPONSE_DEADLINE',
  queue_full: 'PROVIDER_BUSY',
  wait_exceeded: 'PROVIDER_BUSY',
  closed: 'PROVIDER_BUSY',
  thread_crashed: 'PROVIDER_BUSY',
}

/** A job that threw is a mistake of ours, and one that was broken off is judged by who broke it off. */
function refuse(error: unknown): never {
  const code = error instanceof ComputeError ? CODES[error.code] : undefined
  throw code === undefined ? error : new OutboundFault(code)
}
