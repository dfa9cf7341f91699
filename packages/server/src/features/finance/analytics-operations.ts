import { APPENDING } from '../../errors.ts'
import { operation } from '../../operation.ts'
import { isoNow } from '../../platform/clock.ts'
import type { Ports } from '../../ports.ts'
import { sourceRevision } from './analytics/component.ts'
import { computeQuote, computeSignals, type MarketRequest } from './analytics/market-analysis.ts'
import { PORTFOLIO, PORTFOLIO_EXAMPLE, portfolioDraft } from './analytics/portfolio-request.ts'
import { listReceipts, verifyContract } from './analytics/receipts/listing.ts'
import * as receipts from './analytics/receipts/schemas.ts'
import { VERIFY, verifyDraft } from './analytics/receipts/verify-draft.ts'
import { auditDraft, RESEARCH_AUDIT } from './analytics/research/draft.ts'
import { AUDIT_EXAMPLE } from './analytics/research/example.ts'
import { AuditBody, AuditReply } from './analytics/research/schemas.ts'
import * as schemas from './analytics/schemas.ts'
import type { Observe } from './contract.ts'

type Deps = Pick<Ports, 'build' | 'clock' | 'ledger' | 'recorder' | 'signer'> & { finance: { observe: Observe } }

const MIB = 1024 * 1024
const PORTFOLIO_BYTES = 196_608
/** As many values as fit into the bodies with their commas. */
const MAX_VALUES = MIB / 2

const reading = { group: 'Research', method: 'GET', scope: null, narrows: true } as const
const analysing = {
  group: 'Research',
  method: 'POST',
  scope: 'analysis:run',
  emptyBody: 'example',
  errors: APPENDING,
} as const
const symbol = { symbol_name: 'BTC-USD' }

/** Computations on public and on the caller's own prices, their receipts, and the audit of a research panel. None trades. */
export const financeAnalytics = ({ build, clock, ledger, recorder, signer, finance }: Deps) => {
  const revision = () => sourceRevision(build)
  const requestOf = (
    { symbol_name }: { symbol_name: string },
    {
      origin = 'coinbase',
      benchmark,
    }: { origin?: MarketRequest['origin'] | undefined; benchmark?: string | undefined },
  ): MarketRequest => ({ symbol: symbol_name, origin, benchmark, now: clock.now(), revision: revision() })

  return [
    operation({
      ...reading,
      id: 'finance.signals',
      path: '/finance/analytics/v2/signals/:symbol_name',
      summary: 'Indicators over 260 closed daily candles, and the votes of a published rule',
      description:
        'The candles end at the last UTC midnight. A history that is unreachable or has a gap is BLOCKED with 200, and nothing is filled in. The votes are a rule, not advice.',
      params: schemas.SymbolPath,
      query: schemas.SignalsQuery,
      reply: schemas.SignalsReply,
      labels: ['MODELED', 'SIMULATED', 'LIVE', 'SAMPLE', 'UNAVAILABLE'],
      example: { params: symbol, query: { origin: 'fixture' } },
      run: ({ params, query, signal }) => computeSignals(finance.observe, requestOf(params, query), signal),
    }),
    operation({
      ...reading,
      id: 'finance.quote',
      path: '/finance/analytics/v2/quote/:symbol_name',
      summary: 'The last completed daily close, its risk figures and its beta to a benchmark',
      description:
        'No execution quote: the price is the close of the last UTC day. Benchmarks are paired by their days.',
      params: schemas.SymbolPath,
      query: schemas.QuoteQuery,
      reply: schemas.QuoteReply,
      labels: ['MODELED', 'SIMULATED', 'LIVE', 'SAMPLE', 'UNAVAILABLE'],
      example: { params: symbol, query: { origin: 'fixture', benchmark: 'ETH-USD' } },
      run: ({ params, query, signal }) => computeQuote(finance.observe, requestOf(params, query), signal),
    }),
    operation({
      ...analysing,
      id: PORTFOLIO,
      path: '/finance/analytics/v2/portfolio',
      summary: 'Risk of the caller’s own price series: covariance, contributions, drawdown and tail',
      body: schemas.PortfolioBody,
      bodyLimit: PORTFOLIO_BYTES,
      reply: schemas.PortfolioReply,
      labels: ['MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
      example: { body: PORTFOLIO_EXAMPLE },
      run: (call) => recorder.record(call, PORTFOLIO, { decide: () => portfolioDraft(call, revision()) }),
    }),
    operation({
      ...reading,
      id: 'finance.receipts',
      path: '/finance/analytics/v2/receipts',
      scope: 'receipts:read',
      summary: 'What a result of finance is recorded with, the signer now, and the newest receipts',
      query: receipts.ReceiptsQuery,
      reply: receipts.ReceiptsReply,
      labels: ['STRUCTURAL-ONLY'],
      example: { query: { limit: 20 } },
      run: ({ query, caller }) =>
        listReceipts((viewer, request) => ledger.queries.receiptPage(viewer, request), caller, query, signer()),
    }),
    operation({
      ...reading,
      id: 'finance.receiptsVerifyContract',
      method: 'GET',
      path: '/finance/analytics/v2/receipts/verify',
      summary: 'What can be verified here, and what is checked',
      reply: receipts.VerifyContract,
      labels: ['STRUCTURAL-ONLY'],
      run: verifyContract,
    }),
    operation({
      ...analysing,
      id: VERIFY,
      method: 'POST',
      path: '/finance/analytics/v2/receipts/verify',
      summary: 'Verify a reply of finance, a receipt of this ledger or a DSSE envelope',
      description:
        'Send exactly one of envelope, receipt_id and dsse. Integrity says that a result is whole, the signature alone who made it.',
      body: receipts.VerifyBody,
      bodyLimit: 2 * MIB,
      bodyValues: MAX_VALUES,
      reply: receipts.VerifyReply,
      labels: ['STRUCTURAL-ONLY'],
      example: { body: { receipt_id: '0'.repeat(64) } },
      run: (call) => {
        const verifier = { ledger, caller: call.caller, checkedAt: isoNow(clock), revision: revision() }
        return recorder.record(call, VERIFY, { decide: () => verifyDraft(call, verifier) })
      },
    }),
    operation({
      ...analysing,
      id: RESEARCH_AUDIT,
      path: '/finance/research/audit',
      summary: 'Which records of a panel may be used on a given day, and why the others may not',
      description: 'Duplicates, exclusions, missing values and look-ahead, cell by cell. No URL is fetched.',
      body: AuditBody,
      bodyRule: { dependentRequired: { start_year: ['end_year'], end_year: ['start_year'] } },
      bodyLimit: MIB,
      bodyValues: MAX_VALUES,
      reply: AuditReply,
      labels: ['MODELED', 'SAMPLE', 'STRUCTURAL-ONLY'],
      example: { body: AUDIT_EXAMPLE },
      run: (call) => recorder.record(call, RESEARCH_AUDIT, { decide: () => auditDraft(call, revision()) }),
    }),
  ]
}
