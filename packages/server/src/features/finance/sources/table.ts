import { SOURCE_IDS, type SourceId } from '../../../domain/observation.ts'
import { alpaca } from './alpaca.ts'
import { coinbase } from './coinbase.ts'
import { kalshi } from './kalshi.ts'
import { polymarket } from './polymarket.ts'
import { sec } from './sec.ts'
import type { ProviderId, Source } from './source.ts'
import { statistics } from './statistics.ts'
import { treasury } from './treasury.ts'

export type SourceTable = ReadonlyMap<SourceId, Source>

/** The sixteen sources, in the order in which they are listed everywhere. */
export function sourceTable(alpacaFeed: string): SourceTable {
  const all = [...polymarket, ...kalshi, ...coinbase, ...sec, ...treasury, ...statistics, ...alpaca(alpacaFeed)]
  const byId = new Map(all.map((source) => [source.id, source]))
  return new Map(SOURCE_IDS.map((id) => [id, byId.get(id)!]))
}

/** What the operator has to set before the provider can be asked. */
export const REQUIRED_ENVIRONMENT: Readonly<Partial<Record<ProviderId, readonly string[]>>> = {
  SEC: ['ORCH_SEC_USER_AGENT'],
  FRED: ['ORCH_FRED_API_KEY'],
  ALPACA: ['ORCH_ALPACA_KEY_ID', 'ORCH_ALPACA_SECRET'],
}
