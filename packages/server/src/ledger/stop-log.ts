import type { Ledger, Log } from '../ports.ts'

/** Callers hear with every refusal why nothing is recorded any more; whoever reads the log hears it once. */
export function logStop(ledger: Pick<Ledger, 'state' | 'onState'>, log: Pick<Log, 'error'>): void {
  let isTold = false
  const tell = ({ readOnly, size }: ReturnType<Ledger['state']>) => {
    if (isTold || readOnly === null) return
    isTold = true
    log.error({ reason: readOnly, size }, 'the ledger is read-only: nothing more is recorded until a restart')
  }
  tell(ledger.state())
  ledger.onState(tell)
}
