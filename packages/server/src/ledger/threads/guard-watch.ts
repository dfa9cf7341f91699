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

export class GuardWatch {
  private readonly deps: GuardWatchDeps
  /** The guard was asked and bears the store out: until then nothing is appended or signed. */
  private isGuarded = false
  private awaySince: number | null = null
  private readonly meet = singleFlight(() => this.meetLate())

  constructor(deps: GuardWatchDeps) {
    this.deps = deps
  }

  /** From the newest signed checkpoint to the head, and against the checkpoint remembered outside the store. A guard that
   *  does not answer stops nobody from reading. */
  async verifyStart(): Promise<TailReport> {
    try {
      const found = await this.meetGuard()
      if (found.refusal !== null) throw new Error(found.refusal)
      return found.tail
    } catch (error) {
      if (!(error instanceof GuardUnavailable)) throw error
      const found = await this.examine(null)
      this.deps.publisher.begin(found.signed, null)
      this.answered(error.message)
      return found.tail
    }
  }

  private async examine(guard: Guard | null): Promise<Examined> {
    const found = await examineStart(this.deps.parts, guard)
    if (found.stop !== null) this.deps.stop(found.stop, found.rolledBack)
    return found
  }

  /** The first look at the guard. What it holds is compared, and where it holds nothing of a log that is new, it is given
   *  the first checkpoint before anything is appended. */
  private async meetGuard(): Promise<Examined> {
    const { guard, parts, publisher } = this.deps
    const found = await this.examine(guard)
    if (found.stop !== null || found.refusal !== null) return found
    publisher.begin(found.signed, found.isTakenOver ? null : found.guardCheckpoint)
    if (!(await publisher.establish(found.head))) throw new GuardUnavailable('the guard is moved by another node')
    if (found.isTakenOver) leaveFolderGuard(parts.settings)
    if (found.isRestorePending) await parts.store.putMeta(RESTORE_PENDING, '')
    this.isGuarded = true
    this.answered(null)
    return found
  }

  /** `fault` says why the guard could not be asked or moved on; null where it answered. */
  answered(fault: string | null): void {
    const at = performance.now()
    this.awaySince = fault === null ? null : (this.awaySince ?? at)
    const graceMs = this.isGuarded ? (this.deps.parts.settings.guard?.graceMs ?? GUARD_GRACE_MS) : 0
    const blocking = this.awaySince !== null && at - this.awaySince >= graceMs
    this.deps.suspend(
      blocking ? refusal('guard_unavailable', `${fault}; nothing more is recorded until it does`) : null,
    )
    const state = this.deps.state()
    if (state.fault !== fault || state.blocking !== blocking) this.deps.changed({ ...state, fault, blocking })
  }

  /** By the clock: this one asks a guard that did not answer again, and meets one that never did. */
  async publish(): Promise<void> {
    if (!this.isGuarded && !this.deps.isReadOnly()) await this.meet()
    if (this.isGuarded) await this.deps.publisher.publish()
  }

  /** For a caller who waits. */
  async publishNow(): Promise<void> {
    if (this.isGuarded) await this.deps.publisher.publishIfGuarded()
  }

  private async meetLate(): Promise<void> {
    try {
      const { refusal: reason } = await this.meetGuard()
      if (reason !== null) this.deps.stop(reason, true)
    } catch (error) {
      if (!(error instanceof GuardUnavailable)) throw error
      this.answered(error.message)
    }
  }
}
