// What a receipt says was decided, read out of the signed bytes for whoever looks at the checks.
import { explain } from '../explanations.ts'
import type { ReceiptBody } from '../receipt.ts'
import { type Fields, isHex64, isRecord } from './shape.ts'

export type DecodedReason = { code: string; words: string | null }
export type DecodedDecision = {
  kind: ReceiptBody['kind']
  /** What has to be said of a kind before its decision is believed; null where nothing has. */
  kind_words: string | null
  outcome: string | null
  reasons: DecodedReason[]
  gates_fired: string[]
  gates_passed: string[]
  /** As the caller stated it. */
  agent: string | null
  tool: string | null
  actor: ReceiptBody['actor']
  policy: ReceiptBody['policy']
}

/** The kinds in which the service writes every field: a caller's object in a minted receipt is never read as a
 *  decision. */
const DECIDING = new Set<ReceiptBody['kind']>(['decision', 'inference', 'agent-step', 'step', 'review'])
const MAX_LISTED = 32

const KIND_WORDS: Partial<Record<ReceiptBody['kind'], string>> = {
  example: 'nothing was sent, so the documented example ran: nobody asked for this',
  sample: 'a simulated row: nobody asked, no gate ran, nothing was decided',
}

export function decodedOf({ kind, payload, actor, policy }: ReceiptBody): DecodedDecision {
  const said = DECIDING.has(kind) ? payload : {}
  return {
    kind,
    kind_words: KIND_WORDS[kind] ?? null,
    outcome: textOf(said.decision),
    reasons: textsOf(said.reasons).map((code) => ({ code, words: explain(code)?.sentence ?? null })),
    gates_fired: textsOf(said.gates_fired),
    gates_passed: textsOf(said.gates_passed),
    agent: textOf(said.agent),
    tool: textOf(isRecord(said.tool) ? said.tool.name : said.tool),
    actor,
    policy,
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, MAX_LISTED) : []

// What a reader must not overlook: the operator went on with a restored ledger, and receipts may be missing before it.
export type RestoredHead = { origin: string; size: number; root: string }
export type RestoreFacts = {
  reason: string
  /** What was known to have been signed; null where the guard was lost, and nobody can say how much is missing. */
  guard: RestoredHead | null
  store: RestoredHead
  log: { origin: string; vkey: string }
}

/** Null for any other receipt, and for one that only calls itself so. */
export function restoreOf({ kind, payload }: Pick<ReceiptBody, 'kind' | 'payload'>): RestoreFacts | null {
  if (kind !== 'restore') return null
  const { reason, guard, store, log } = payload as Fields
  if (typeof reason !== 'string' || !isHead(store) || !(guard === null || isHead(guard))) return null
  if (!isRecord(log) || typeof log.origin !== 'string' || typeof log.vkey !== 'string') return null
  return { reason, guard, store, log: { origin: log.origin, vkey: log.vkey } }
}

export function restoreSentence({ guard, store, log, reason }: RestoreFacts): string {
  const lost =
    guard === null
      ? 'its guard was lost, so nobody can say what is missing'
      : guard.origin === store.origin && guard.size > store.size
        ? `${guard.size} had been signed, so ${guard.size - store.size} are missing`
        : `the guard held ${guard.size} receipts of ${guard.origin}`
  return `the operator went on with a restored ledger of ${store.size} receipts: ${lost}; the log goes on as ${log.origin} (${reason.slice(0, 500)})`
}

const isHead = (value: unknown): value is RestoredHead =>
  isRecord(value) && typeof value.origin === 'string' && Number.isSafeInteger(value.size) && isHex64(value.root)
