import type { Members } from '../../../adapters/outbound/contract.ts'
import type { SourceId } from '../../../domain/observation.ts'
import type { Observe } from '../contract.ts'
import type { Parameters, Values } from './parameters.ts'
import type { FinanceContract, FinanceProviders } from './schemas.ts'

/** Who is asked; the ids of the rows in `io/providers.ts`. */
export type ProviderId = 'GAMMA' | 'CLOB' | 'KALSHI' | 'COINBASE' | 'SEC' | 'TREASURY' | 'BLS' | 'FRED' | 'ALPACA'

/** What is asked for, built of checked values alone, and what is made of the reply. */
export interface Plan {
  path: string
  query: Readonly<Record<string, string>>
  /** What of the reply is looked at; left out: all of it. */
  members?: Members
  /** Throws `SourceFault` where the reply is not what the source documents. Its value is cached. */
  normalise(reply: unknown): object
  /** The part of the cached value that this request asked for, where the other side is not told of it. */
  select?(data: object): object
}

export interface Source {
  id: SourceId
  provider: ProviderId
  ttlSeconds: number
  /** Where the limit of the provider is not that of this source. */
  maxBytes?: number
  parameters: Parameters
  /** Throws `InputError` where values that are fine one by one are not so together. */
  plan(values: Values, now: number): Plan
}

/** What the operations ask of the sources. */
export interface FinanceSources {
  observe: Observe
  /** Asks nobody. */
  providers(): Promise<FinanceProviders>
  contract(): FinanceContract
}
