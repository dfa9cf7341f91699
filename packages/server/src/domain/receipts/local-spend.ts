/** What our own receipts say was asked of models. The chains are walked once and then followed: a long ledger is counted
 *  over several requests, and until it is counted whole there is no figure. */
import { postTransaction, type ReceiptBody } from '@orch/core'
import { bodyOf, isRecord, type ReceiptReader, type StoredReceipt } from '../stored-receipt.ts'

const CHAIN = 'governance'
const CHUNK = 500
/** Receipts looked at for one request. */
const MAX_WALKED = 5_000

/** Without usage are the calls whose target reported none and whose answer could not be counted. */
export interface Counted {
  model_calls: number
  tokens_in: number
  tokens_out: number
  calls_without_usage: number
  receipts_walked: number
  receipts_total: number
}

/** Tokens are booked twice, in millionths: on the account they came from and on the one that says what for. By F11 nothing
 *  is lost or made up on the way, however the receipts are split and added up. */
interface Booked {
  calls: number
  withoutUsage: number
  balances: ReadonlyMap<string, bigint>
}

const NOTHING: Booked = { calls: 0, withoutUsage: 0, balances: new Map() }
const MICROS = 1_000_000n
const [CALLERS, TOKENS_IN, TOKENS_OUT] = ['callers', 'tokens in', 'tokens out']

type Reader = Pick<ReceiptReader, 'chains' | 'chainRange'>

export class LocalSpend {
  readonly #reader: () => Reader
  readonly #walked = new Map<string, { next: number; booked: Booked }>()
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
    const parts = chains.map(({ ns }) => this.#walked.get(ns) ?? { next: 0, booked: NOTHING })
    return {
      ...totalsOf(parts.reduce((sum, { booked }) => added(sum, booked), NOTHING)),
      receipts_walked: parts.reduce((sum, { next }) => sum + next, 0),
      receipts_total: chains.reduce((sum, { depth }) => sum + depth, 0),
    }
  }

  /** How many receipts were looked at. */
  async #follow(ns: string, depth: number, most: number): Promise<number> {
    let { next, booked } = this.#walked.get(ns) ?? { next: 0, booked: NOTHING }
    const begun = next
    while (next < depth && next - begun < most) {
      const wanted = Math.min(CHUNK, depth - next, most - (next - begun))
      const rows = await this.#reader().chainRange(ns, CHAIN, next, wanted)
      if (rows.length === 0) break
      booked = rows.map(bookingOf).reduce(added, booked)
      next += rows.length
      this.#walked.set(ns, { next, booked })
    }
    return next - begun
  }
}

/** Only what a target was asked for counts: a request stopped at a gate cost nothing. */
function bookingOf(row: StoredReceipt): Booked {
  const body = bodyOf(row)
  if (body?.kind !== 'inference' || typeof body.payload.target !== 'string') return NOTHING
  const { tokensIn, tokensOut } = usageOf(body)
  if (tokensIn === null || tokensOut === null) return { ...NOTHING, calls: 1, withoutUsage: 1 }
  const [paidIn, paidOut] = [BigInt(tokensIn) * MICROS, BigInt(tokensOut) * MICROS]
  const balances = postTransaction(NOTHING.balances, [
    { account: CALLERS, micros: -(paidIn + paidOut) },
    { account: TOKENS_IN, micros: paidIn },
    { account: TOKENS_OUT, micros: paidOut },
  ])
  return { calls: 1, withoutUsage: 0, balances }
}

function usageOf({ payload }: ReceiptBody): { tokensIn: number | null; tokensOut: number | null } {
  const usage = isRecord(payload.usage) ? payload.usage : {}
  return { tokensIn: tokens(usage.prompt_tokens), tokensOut: tokens(usage.completion_tokens) }
}

const tokens = (value: unknown): number | null =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null

const added = (a: Booked, b: Booked): Booked => ({
  calls: a.calls + b.calls,
  withoutUsage: a.withoutUsage + b.withoutUsage,
  balances: postTransaction(
    a.balances,
    [...b.balances].map(([account, micros]) => ({ account, micros })),
  ),
})

function totalsOf({ calls, withoutUsage, balances }: Booked) {
  const tokensOn = (account: string) => Number((balances.get(account) ?? 0n) / MICROS)
  return {
    model_calls: calls,
    tokens_in: tokensOn(TOKENS_IN),
    tokens_out: tokensOn(TOKENS_OUT),
    calls_without_usage: withoutUsage,
  }
}
