import { ServiceError } from '../../errors.ts'
import { operation } from '../../operation.ts'
import type { Ports } from '../../ports.ts'
import type { Prices } from './prices/contract.ts'
import { modelReply } from './prices/model-reply.ts'
import { PRICE_SYMBOLS, PriceModel, type PriceSymbol, SignedPrice, SymbolPath } from './prices/schemas.ts'

const reading = { group: 'Research', method: 'GET', scope: null, narrows: true } as const
const REVISION = /^[0-9a-f]{40}$/

/** Prices of public venues that this service signs in the background, and the model behind them. Nothing here trades. */
export const prices = ({ prices, build }: Pick<Ports, 'build'> & { prices: Prices }) => [
  operation({
    ...reading,
    id: 'finance.priceModel',
    path: '/finance/signed-prices/model',
    summary: 'The median of group medians beside the plain median, on rows written for it',
    reply: PriceModel,
    labels: ['SIMULATED'],
    example: {},
    run() {
      const revision = build.gitSha.value ?? ''
      return modelReply(REVISION.test(revision) ? revision : 'UNBOUND')
    },
  }),
  operation({
    ...reading,
    id: 'finance.signedPrice',
    path: '/finance/signed-prices/:symbol_name',
    summary: 'The newest signed print of a price, verified in this request, or why there is none',
    description:
      'A background publisher reads four venues and signs the median of their midpoints; this request signs nothing. It leaves a mark that the symbol is read and waits up to 8 s for a print younger than 15 s. REVIEW needs three venues within the bound and a print of at most 30 s; everything else is ABSTAIN with no price.',
    params: SymbolPath,
    reply: SignedPrice,
    labels: ['MODELED', 'LIVE', 'SAMPLE', 'UNAVAILABLE'],
    errors: ['unknown_symbol'],
    example: { params: { symbol_name: 'BTC' } },
    run: ({ params, signal, headOnly = false }) => prices.read(requireSymbol(params.symbol_name), signal, headOnly),
  }),
]

function requireSymbol(name: string): PriceSymbol {
  const symbol = PRICE_SYMBOLS.find((one) => one === name)
  if (symbol !== undefined) return symbol
  throw new ServiceError('unknown_symbol', `there is no signed price of ${name}; ask for ${PRICE_SYMBOLS.join(', ')}`)
}
