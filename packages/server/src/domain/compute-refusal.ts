/** What a caller is told when the compute pool refuses or stops a job. */
import { InputError, ServiceError } from '../errors.ts'

/** The error of the pool by its form: this room knows no pool. */
interface PoolError extends Error {
  code: string
  detail: Readonly<Record<string, number>>
}

const isPoolError = (error: unknown): error is PoolError => error instanceof Error && error.name === 'ComputeError'

/** The refusal to throw in the place of the error; whatever is no refusal comes back as it is. `place` is the part of the
 *  request whose numbers make the work. */
export function toComputeRefusal(error: unknown, place: 'query' | 'body'): unknown {
  if (!isPoolError(error)) return error
  switch (error.code) {
    case 'work_limit_exceeded': {
      const { work, cap } = error.detail as { work: number; cap: number }
      const msg = `this request is counted as ${work} units of work, and ${cap} are allowed; ask for less`
      return new InputError([{ loc: [place], msg, type: 'work_limit_exceeded', ctx: { work, cap } }])
    }
    case 'queue_full':
      return new ServiceError('compute_busy', 'as many computations wait as may wait; retry in a second')
    case 'wait_exceeded':
      return new ServiceError('compute_busy', 'no thread was free for the computation in time; retry in a second')
    case 'deadline_exceeded':
      return new ServiceError('compute_timeout', 'the computation was stopped at its deadline; ask for less, or retry')
    // Of a thread that ended nothing is known; one that could not load its job in time found no processor.
    case 'thread_crashed':
      if (error.detail.startMs === undefined) return error
      return new ServiceError('compute_busy', 'no thread could begin in time; retry in a second')
    case 'closed':
      return new ServiceError('draining', 'the service is shutting down')
    default:
      return error
  }
}
