/** What the ledger's thread does about its guard: compares the store with it at the start, publishes checkpoints to it,
 *  asks one that did not answer again, and stops appends once it has been away for too long. */
import { GuardUnavailable } from '../../errors.ts'
import { singleFlight } from '../../platform/single-flight.ts'
import { RESTORE_PENDING } from '../audit/guard-check.ts'
import type { Guard, GuardState, TailReport } from '../contract.ts'
import type { CheckpointPublisher } from '../publisher.ts'
import { type Refusal, refusal } from '../refusals.ts'
import { type Examined, examineStart, leaveFolderGuard, type StartParts } from './start.ts'

const GUARD_GRACE_MS = 60_000

interface GuardWatchDeps {
  parts: StartParts
  guard: Guard | null
  publisher: CheckpointPublisher
  isReadOnly(): boolean
  state(): GuardState
  changed(state: GuardState): void
  /** Takes nothing for this reason until it is told null. */
  suspend(reason: Refusal | null): void
  stop(reason: string, rolledBack: boolean): void
}

export type GuardWatch = ReturnType<typeof guardWatch>

export function guardWatch(deps: GuardWatchDeps) {
  /** The guard was asked and bears the store out: until then nothing is appended or signed. */
  let isGuarded = false
  let awaySince: number | null = null
  const meet = singleFlight(meetLate)

  /** From the newest signed checkpoint to the head, and against the checkpoint remembered outside the store. A guard that
   *  does not answer stops nobody from reading. */
  async function verifyStart(): Promise<TailReport> {
    try {
      const found = await meetGuard()
      if (found.refusal !== null) throw new Error(found.refusal)
      return found.tail
    } catch (error) {
      if (!(error instanceof GuardUnavailable)) throw error
      const found = await examine(null)
      deps.publisher.begin(found.signed, null)
      answered(error.message)
      return found.tail
    }
  }

  async function examine(guard: Guard | null): Promise<Examined> {
    const found = await examineStart(deps.parts, guard)
    if (found.stop !== null) deps.stop(found.stop, found.rolledBack)
    return found
  }

  /** The first look at the guard. What it holds is compared, and where it holds nothing of a log that is new, it is given
   *  the first checkpoint before anything is appended. */
  async function meetGuard(): Promise<Examined> {
    const { guard, parts, publisher } = deps
    const found = await examine(guard)
    if (found.stop !== null || found.refusal !== null) return found
    publisher.begin(found.signed, found.isTakenOver ? null : found.guardCheckpoint)
    if (!(await publisher.establish(found.head))) throw new GuardUnavailable('the guard is moved by another node')
    if (found.isTakenOver) leaveFolderGuard(parts.settings)
    if (found.isRestorePending) await parts.store.putMeta(RESTORE_PENDING, '')
    isGuarded = true
    answered(null)
    return found
  }

  /** `fault` says why the guard could not be asked or moved on; null where it answered. */
  function answered(fault: string | null): void {
    const at = performance.now()
    awaySince = fault === null ? null : (awaySince ?? at)
    const graceMs = isGuarded ? (deps.parts.settings.guard?.graceMs ?? GUARD_GRACE_MS) : 0
    const blocking = awaySince !== null && at - awaySince >= graceMs
    deps.suspend(blocking ? refusal('guard_unavailable', `${fault}; nothing more is recorded until it does`) : null)
    const state = deps.state()
    if (state.fault !== fault || state.blocking !== blocking) deps.changed({ ...state, fault, blocking })
  }

  /** By the clock: this one asks a guard that did not answer again, and meets one that never did. */
  async function publish(): Promise<void> {
    if (!isGuarded && !deps.isReadOnly()) await meet()
    if (isGuarded) await deps.publisher.publish()
  }

  /** For a caller who waits. */
  async function publishNow(): Promise<void> {
    if (isGuarded) await deps.publisher.publishIfGuarded()
  }

  async function meetLate(): Promise<void> {
    try {
      const { refusal: reason } = await meetGuard()
      if (reason !== null) deps.stop(reason, true)
    } catch (error) {
      if (!(error instanceof GuardUnavailable)) throw error
      answered(error.message)
    }
  }

  return { verifyStart, answered, publish, publishNow }
}
