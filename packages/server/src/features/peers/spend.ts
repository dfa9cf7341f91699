/** What a spending authority said when it was last read, and what our own receipts count. The two are never
 *  added together, and a figure that is missing is null. */
import { type Measured, unavailable } from '@orch/core'
import type { Counted } from '../../domain/receipts/local-spend.ts'
import type { SpendFacts, Stored } from '../readings/contract.ts'
import { freshness } from './freshness.ts'
import type { FederatedSpend } from './schemas.ts'

const NO_FIGURES: SpendFacts = {
  cap_usd: null,
  spent_usd: null,
  remaining_usd: null,
  pct_used: null,
  armed: null,
  tripped: null,
  entries: null,
  chain_intact: null,
  tail: [],
}

export function federatedSpend(
  authority: Stored<SpendFacts> & { origin: string | null },
  counted: Measured<Counted>,
): FederatedSpend {
  const { value, origin } = authority
  const { cap_usd, spent_usd, remaining_usd, pct_used, armed, tripped, entries, chain_intact, tail } =
    value ?? NO_FIGURES
  return {
    schema: 'orch.federated-spend/v1',
    configured: origin !== null,
    state: origin === null ? 'not_configured' : value === null ? 'unreachable' : 'cached',
    authority: origin,
    ...freshness(authority),
    ...{ cap_usd, spent_usd, remaining_usd, pct_used, armed, tripped, entries, chain_intact, tail },
    local: localSpend(counted),
  }
}

/** Without prices there is no cost. */
const UNPRICED = { cost_usd: null, cost_reason: 'no price table is part of this build', price_table_sha256: null }

function localSpend({ value: counted, label, read_at }: Measured<Counted>): FederatedSpend['local'] {
  const { receipts_walked, receipts_total, ...totals } = counted
  const walk = { receipts_walked, receipts_total, read_at }
  if (receipts_walked >= receipts_total) return { ...totals, ...UNPRICED, ...walk, label, reason: null }
  const partly = unavailable(`${receipts_walked} of ${receipts_total} receipts are counted so far; ask again`)
  const none = { model_calls: null, tokens_in: null, tokens_out: null, calls_without_usage: null }
  return { ...none, ...UNPRICED, ...walk, label: partly.label, reason: partly.reason }
}
