/** Puts the audit together from the parts of the service, and records when its findings change. */
import type { Operation } from '../../operation.ts'
import { shared } from '../../platform/shared-result.ts'
import type { Ports } from '../../ports.ts'
import { type AuditRecord, runAudit } from './audit.ts'
import { type AuditNeeds, checksOf, totalsOf } from './checks.ts'
import type { Steward } from './contract.ts'
import { selfTestsOf } from './open-self-tests.ts'
import { recordChange } from './record-change.ts'
import { RequestWindow, SAMPLE_EVERY_MS } from './request-window.ts'
import { erasureTest } from './self-tests.ts'
import type { Around } from './surface.ts'

const RECORD_EVERY_MS = 900_000

interface Needs extends Omit<AuditNeeds, 'requests' | 'selfTests'>, Pick<Ports, 'background' | 'build' | 'signer'> {
  /** By the newest look at readiness, which comes every few seconds; false before the first. A look of its own would write
   *  a row to the store, if only to take it back. */
  productionReady(): boolean
  /** Asked when an audit runs, which is after all operations are mounted. */
  operations(): readonly Operation[]
  keepMs: number
}

export function openSteward(needs: Needs): Steward {
  const { clock, ledger, background, calls } = needs
  const requests = new RequestWindow(clock.monotonic())
  const selfTests = () => [erasureTest(), ...selfTestsOf(needs.operations())]
  const checks = checksOf({ ...needs, requests, selfTests })
  let last: AuditRecord | null = null
  const audit = shared(
    // A break that is known meanwhile is looked at again at once.
    { keepMs: needs.keepMs, monotonic: () => clock.monotonic(), version: () => ledger.state().broken },
    async () => {
      last = await runAudit(checks, clock)
      return last
    },
  )
  background.every('steward-requests', SAMPLE_EVERY_MS, async () => requests.sample(clock.monotonic(), totalsOf(calls)))
  background.every('steward-audit', RECORD_EVERY_MS, async () => recordChange(needs, await audit()))
  return {
    async observe() {
      const arrived = clock.monotonic()
      const { made, failure } = await audit().then(
        (found) => ({ made: found, failure: null }),
        () => ({ made: last, failure: 'the audit of this request failed' }),
      )
      const isShared = made !== null && made.beganAt < arrived
      return { observed: { audit: made, failure, shared: isShared }, around: aroundOf(needs) }
    },
  }
}

function aroundOf({ clock, productionReady, build, ledger, signer }: Needs): Around {
  const { size, root } = ledger.state()
  return {
    now: clock.now(),
    monotonic: clock.monotonic(),
    productionReady: productionReady(),
    revision: build.gitSha.value,
    latestHash: size === 0 ? null : root,
    signatureStatus: signer().status,
  }
}
