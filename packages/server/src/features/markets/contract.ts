import type { Company, Debt, Macro, MarketSummary } from './schemas.ts'

/** Never rejects for what a source does: what could not be read says so. */
export interface Markets {
  company(cik: string, signal: AbortSignal): Promise<Company>
  debt(signal: AbortSignal): Promise<Debt>
  macro(seriesId: string, signal: AbortSignal): Promise<Macro>
  summary(cik: string, seriesId: string, signal: AbortSignal): Promise<MarketSummary>
}
