/** What a spending authority said when it was last read, and beside it what our own receipts count. The two are never
 *  added together, and a figure that is missing is null. */
import { type Measured, unavailable } from '@orch/core'
import type { Counted } from '../../domain/receipts/local-spend.ts'
import type { SpendFacts, Stored } from '../readings/contract.ts'
import { standingOf } from './readings.ts'

const FIGURES = [
  'cap_usd',
  'spent_usd',
  'remaining_usd',
  'pct_used',
  'armed',
  'tripped',
  'entries',
  'chain_intact',
] as const satisfies (keyof SpendFacts)[]

export function federatedSpend(authority: Stored<SpendFacts> & { origin: string | null }, counted: Measured<Counted>) {
  const { value, origin } = authority
  const figures = Object.fromEntries(FIGURES.map((name) => [name, value?.[name] ?? null]))
  return {
    schema: 'orch.federated-spend/v1',
    configured: origin !== null,
    state: origin === null ? 'not_configured' : value === null ? 'unreachable' : 'cached',
    authority: origin,
    ...standingOf(authority),
    ...figures,
    tail: value?.tail ?? [],
    local: localOf(counted),
  }
}

/** Without prices there is no cost. */
const UNPRICED = { cost_usd: null, cost_reason: 'no price table is part of this build', price_table_sha256: null }

function localOf({ value: counted, label, read_at }: Measured<Counted>) {
  const { receipts_walked, receipts_total, ...totals } = counted
  const walk = { receipts_walked, receipts_total, read_at }
  if (receipts_walked >= receipts_total) return { ...totals, ...UNPRICED, ...walk, label, reason: null }
  const partly = unavailable(`${receipts_walked} of ${receipts_total} receipts are counted so far; ask again`)
  const none = { model_calls: null, tokens_in: null, tokens_out: null, calls_without_usage: null }
  return { ...none, ...UNPRICED, ...walk, label: partly.label, reason: partly.reason }
}
