/** Meters and spans around the ledger. Its own methods are replaced, unlike those of other ports: the ledger's parts call
 *  each other through the same object, and none of these calls may go unmeasured. */
import type { ReceiptDraft } from '@orch/core'
import { ServiceError, StoreUnavailable } from '../../../errors.ts'
import type { Appended, LedgerReader } from '../../../ledger/contract.ts'
import type { AppendOptions, Clock, Ledger, Tracing } from '../../../ports.ts'
import type { StoreFailure, WorkSeries } from '../work-metrics.ts'

export interface Meters {
  tracing: Tracing
  series: WorkSeries
  clock: Clock
}

export function observeLedger(ledger: Ledger, meters: Meters): void {
  meters.series.signsWith(ledger.signer.kind ?? 'none')
  const append = ledger.append.bind(ledger)
  ledger.append = (draft, options) =>
    meters.tracing.child('ledger.append', () => measuredAppend(append, draft, options, ledger, meters))
  const { probe, writeDocuments } = ledger
  ledger.probe = () => inStore(meters, 'probe_failed', () => probe.call(ledger))
  ledger.writeDocuments = (...writes) => inStore(meters, 'write_failed', () => writeDocuments.apply(ledger, writes))
  observeReader(ledger.reader, meters)
}

async function measuredAppend(
  append: Ledger['append'],
  draft: ReceiptDraft,
  options: AppendOptions | undefined,
  ledger: Ledger,
  { tracing, series, clock }: Meters,
): Promise<Appended> {
  const begun = clock.monotonic()
  try {
    const appended = await append(draft, options)
    const { batch } = appended
    if (batch === null) return appended
    series.appended(draft.kind, (clock.monotonic() - begun) / 1000)
    if (draft.kind === 'organ-run') series.organRan(draft.chain, clock.monotonic())
    // The last of its batch speaks for the batch, so each is counted once.
    if (appended.nodeIndex === appended.treeSize - 1) series.batch(batch.size)
    series.signed(appended.keyKind ?? ledger.signer.kind ?? 'none', RESULTS[appended.signatureState])
    if (appended.keyKind !== null) tracing.past('signer', batch.signing.from, batch.signing.to)
    tracing.past('store', batch.storing.from, batch.storing.to)
    tracing.receipt(appended.digest)
    return appended
  } catch (error) {
    countRefusal(error, ledger, series)
    throw error
  }
}

const RESULTS = { SIGNED: 'signed', UNSIGNED: 'unsigned', SIGNER_UNAVAILABLE: 'unavailable' } as const

/** Of the refusals those that say something about the store or the signer; a conflict is the callers' own affair. */
function countRefusal(error: unknown, ledger: Ledger, series: WorkSeries): void {
  const code = error instanceof ServiceError ? error.code : 'append_failed'
  if (code === 'signer_unavailable') series.signed(ledger.signer.kind ?? 'none', 'unavailable')
  const refused = REFUSALS.find((one) => one === code)
  if (refused !== undefined) series.storeFailed(refused)
}

const REFUSALS = ['store_unavailable', 'ledger_read_only', 'ledger_busy', 'append_failed'] as const

async function inStore<T>({ tracing, series }: Meters, code: StoreFailure, work: () => Promise<T>): Promise<T> {
  try {
    return await tracing.child('store', work)
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof StoreUnavailable) series.storeFailed(code)
    else if (error.code === 'store_unavailable' || error.code === 'ledger_read_only') series.storeFailed(error.code)
    throw error
  }
}

function observeReader(reader: LedgerReader, meters: Meters): void {
  const methods = reader as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
  for (const [method, read] of Object.entries(methods))
    if (method !== 'close') methods[method] = (...args) => inStore(meters, 'read_failed', () => read(...args))
}
