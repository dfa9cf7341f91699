/** What our own receipts say was asked of models. The chains are walked once and then followed: a long ledger is counted
 *  over several requests, and until it is counted whole there is no figure. */
import type { ReceiptBody } from '@orch/core'
import { bodyOf, isRecord, type ReceiptReader, type StoredReceipt } from '../stored-receipt.ts'

const CHAIN = 'governance'
const CHUNK = 500
/** Receipts looked at for one request. */
const MAX_WALKED = 5_000

/** Without usage are the calls whose target reported none and whose answer could not be counted. */
const NOTHING = { model_calls: 0, tokens_in: 0, tokens_out: 0, calls_without_usage: 0 }
export type Totals = typeof NOTHING

export interface Counted extends Totals {
  receipts_walked: number
  receipts_total: number
}

type Reader = Pick<ReceiptReader, 'chains' | 'chainRange'>

export class LocalSpend {
  readonly #reader: () => Reader
  readonly #walked = new Map<string, { next: number; totals: Totals }>()
  #turn: Promise<unknown> = Promise.resolve()

  /** The reader is asked for when something is counted. */
  constructor(reader: () => Reader) {
    this.#reader = reader
  }

  /** Of the namespaces a caller sees. Requests take turns, so that no receipt is counted twice. */
  count(sees: (ns: string) => boolean): Promise<Counted> {
    const counted = this.#turn.then(() => this.#count(sees))
    this.#turn = counted.catch(() => undefined)
    return counted
  }

  async #count(sees: (ns: string) => boolean): Promise<Counted> {
    const chains = (await this.#reader().chains()).filter(({ ns, chain }) => chain === CHAIN && sees(ns))
    let left = MAX_WALKED
    for (const { ns, depth } of chains) left -= await this.#follow(ns, depth, left)
    const parts = chains.map(({ ns }) => this.#walked.get(ns) ?? { next: 0, totals: NOTHING })
    return {
      ...parts.reduce((sum, { totals }) => added(sum, totals), NOTHING),
      receipts_walked: parts.reduce((sum, { next }) => sum + next, 0),
      receipts_total: chains.reduce((sum, { depth }) => sum + depth, 0),
    }
  }

  /** How many receipts were looked at. */
  async #follow(ns: string, depth: number, most: number): Promise<number> {
    let { next, totals } = this.#walked.get(ns) ?? { next: 0, totals: NOTHING }
    const begun = next
    while (next < depth && next - begun < most) {
      const wanted = Math.min(CHUNK, depth - next, most - (next - begun))
      const rows = await this.#reader().chainRange(ns, CHAIN, next, wanted)
      if (rows.length === 0) break
      totals = rows.map(totalsOf).reduce(added, totals)
      next += rows.length
      this.#walked.set(ns, { next, totals })
    }
    return next - begun
  }
}

/** Only what a target was asked for counts: a request stopped at a gate cost nothing. */
function totalsOf(row: StoredReceipt): Totals {
  const body = bodyOf(row)
  if (body?.kind !== 'inference' || typeof body.payload.target !== 'string') return NOTHING
  const { tokensIn, tokensOut } = usageOf(body)
  if (tokensIn === null || tokensOut === null) return { ...NOTHING, model_calls: 1, calls_without_usage: 1 }
  return { model_calls: 1, tokens_in: tokensIn, tokens_out: tokensOut, calls_without_usage: 0 }
}

function usageOf({ payload }: ReceiptBody): { tokensIn: number | null; tokensOut: number | null } {
  const usage = isRecord(payload.usage) ? payload.usage : {}
  return { tokensIn: tokens(usage.prompt_tokens), tokensOut: tokens(usage.completion_tokens) }
}

const tokens = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null

const added = (a: Totals, b: Totals): Totals => ({
  model_calls: a.model_calls + b.model_calls,
  tokens_in: a.tokens_in + b.tokens_in,
  tokens_out: a.tokens_out + b.tokens_out,
  calls_without_usage: a.calls_without_usage + b.calls_without_usage,
})
