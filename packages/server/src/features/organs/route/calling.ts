/** Calls targets in their order until one answers: each at most twice, none while its breaker is open. */

export type CallOutcome =
  | { ok: true; text: string; latencyMs: number }
  /** `blamed`: the target is to blame and may be asked once more; otherwise the same request meets the same answer. */
  | { ok: false; code: string; blamed: boolean }

/** Lets `work` through, or gives null while the target is left alone. What counts as a failure throws in `work`. */
export interface CallBreaker {
  state(): 'closed' | 'open' | 'half_open'
  pass<T>(work: () => Promise<T>): Promise<T> | null
}

interface Calling {
  order: readonly string[]
  call(id: string): Promise<CallOutcome>
  breaker(id: string): CallBreaker
  /** False when there is no time for another attempt. */
  hasTime(): boolean
}

const TRIES = 2

class Blamed extends Error {
  readonly outcome: CallOutcome

  constructor(outcome: CallOutcome) {
    super('the target failed')
    this.outcome = outcome
  }
}

export async function callInOrder(calling: Calling) {
  const attempts: { id: string; outcome: string }[] = []
  for (const id of calling.order) {
    for (let tried = 1; tried <= TRIES; tried += 1) {
      if (!calling.hasTime()) return { attempts, answer: null, outOfTime: true }
      const outcome = await guarded(calling, id)
      attempts.push({ id, outcome: outcome.ok ? 'OK' : outcome.code })
      if (outcome.ok) return { attempts, answer: { by: id, text: outcome.text }, outOfTime: false }
      if (!outcome.blamed) break
    }
  }
  return { attempts, answer: null, outOfTime: false }
}

const LEFT_ALONE: CallOutcome = { ok: false, code: 'BREAKER_OPEN', blamed: false }

async function guarded({ call, breaker }: Calling, id: string): Promise<CallOutcome> {
  const passed = breaker(id).pass(async () => {
    const outcome = await call(id)
    if (!outcome.ok && outcome.blamed) throw new Blamed(outcome)
    return outcome
  })
  if (passed === null) return LEFT_ALONE
  return passed.catch((error: unknown) => {
    if (error instanceof Blamed) return error.outcome
    // Another call found out meanwhile.
    if ((error as Partial<Record<string, unknown>>).isBrokenCircuitError === true) return LEFT_ALONE
    throw error
  })
}
