/** The outbox as operations and the clock use it. */
import { canonicalBytes, sha256 } from '@orch/core'
import type { Draft, Recorder } from '../../../ports.ts'
import type { Effects } from '../contract.ts'
import type { DrainReply, DrainReport } from '../effect-schemas.ts'
import type { DrainStatus } from '../read-schemas.ts'
import { countWords } from '../rules/recovery.ts'
import { AUDIT_CHAIN } from '../store/session-documents.ts'
import { drain, type OutboxParts } from './outbox.ts'
import { assertRevision, type RecoveryParts, recoveryWork } from './recovery.ts'
import { effectTotals, outboxLag, steppingNamespaces } from './stats.ts'

export interface Parts extends OutboxParts, RecoveryParts {
  ledger: OutboxParts['ledger']
  recorder: Recorder
}

export interface OutboxService extends Effects {
  /** One round over all namespaces; comes round by itself. */
  drainAll(): Promise<void>
  /** Lets the round under way finish what it holds: nobody else could take that before its lease is over. */
  stop(): Promise<void>
}

export const DRAIN_INTERVAL_MS = 5_000
const BATCH = 100

export function createOutbox(given: Parts): OutboxService {
  const { ledger, clock, recorder, storeNow } = given
  const end = new AbortController()
  const parts = { ...given, ending: end.signal }
  let running: Promise<void> = Promise.resolve()
  const last: Omit<DrainStatus, 'lag_seconds'> = { running: false, last_outcome: null, last_success_at: null }

  /** What goes wrong in one namespace is not the others'. */
  const drainNamespaces = async (): Promise<void> => {
    const failures: unknown[] = []
    for (const namespace of await steppingNamespaces(ledger.reader))
      await drain(parts, namespace, BATCH).catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }

  const drainAndReport = async (): Promise<void> => {
    last.running = true
    try {
      await drainNamespaces()
      last.last_outcome = 'OK'
      last.last_success_at = new Date(clock.now()).toISOString()
    } catch (error) {
      last.last_outcome = 'FAILED'
      throw error
    } finally {
      last.running = false
    }
  }

  return {
    drain(call, limit) {
      const { namespace, keyId } = call.caller
      const work = async () => drainDraft(await drain(parts, namespace, limit), keyId)
      return recorder.record(call, 'gdw.drain', { decide: work, identity: { request: digestOf(limit) } })
    },
    async recover(call, asked) {
      // Before a stored answer is looked for: whoever expects another revision must not be told of what this one did.
      assertRevision(parts.build, asked.expected)
      const own = { request: digestOf(asked.limit, asked.expected) }
      return recorder.record(call, 'gdw.recovery', { decide: recoveryWork(parts, call.caller, asked), identity: own })
    },
    counts: async () => effectTotals(ledger.reader, await storeNow()),
    status: async () => ({ ...last, lag_seconds: await outboxLag(ledger.reader, await storeNow()) }),
    drainAll() {
      running = drainAndReport()
      return running
    },
    async stop() {
      end.abort()
      // Whoever started the round has been told of its failure.
      await running.catch(() => undefined)
    },
  }
}

const digestOf = (...asked: (number | string | null)[]): Uint8Array => sha256(canonicalBytes(asked))

/** A thousand errors would not fit into a receipt: it says how many there were of each code. */
function drainDraft({ errors, ...counts }: DrainReport, keyId: string | null): Draft {
  const by_code = countWords(errors.map(({ code }) => code))
  const head = { schema: 'orch.gdw.drain-report/v1', label: 'MEASURED' } as const
  const answer: Omit<DrainReply, 'receipt'> = { ...head, ...counts, errors }
  const payload = { operation: 'drain', key_id: keyId, ...counts, by_code }
  return { chain: AUDIT_CHAIN, kind: 'recovery', payload, answer }
}
